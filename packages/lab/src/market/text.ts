/** Figures as people read them. */

/** 1234567.8 as "1,234,568", 1.234 as "1.2". */
export function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

export function ms(value: number): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })} ms`;
}

export function percent(share: number): string {
  return `${number(Math.round(share * 100))} %`;
}
