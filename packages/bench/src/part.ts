/** A part of the benchmark, as `--only` names it. Each starts its own servers. */
export interface Part {
  readonly id: string;
  readonly what: string;
  /** Runs only when it is asked for by name. */
  readonly onlyByName?: true;
  run(settings: Settings): Promise<Outcome>;
}

export interface Settings {
  readonly quick: boolean;
  /** How long a holder keeps the contended quorum lock, in ms. */
  readonly holdMs: number;
  /** How long each contender for it runs, in seconds. */
  readonly seconds: number;
}

export interface Outcome {
  /** Joined with those of the other parts in the JSON document. */
  readonly figures: Record<string, unknown>;
  readonly rows: readonly Row[];
  /** Printed below all rows. */
  readonly notes: readonly string[];
}

/** A figure beside its aim. */
export interface Row {
  readonly what: string;
  readonly reached: string;
  readonly aim: string;
  readonly met: boolean;
}

export function row(what: string, value: number, aim: number, unit = '×', atLeast = false): Row {
  const met = atLeast ? value >= aim : value <= aim;
  return {
    what,
    reached: `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`,
    aim: `${atLeast ? '≥' : '≤'} ${aim} ${unit}`,
    met,
  };
}

export const us = (value: number): string => `${value.toFixed(1)} µs`;

/** Rounds of a comparison: enough for a median. */
export const roundsOf = ({ quick }: Settings): number => (quick ? 3 : 15);
