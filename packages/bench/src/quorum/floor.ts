/**
 * The two bare commands sent to all nodes at once, and nothing around them: no validity, no clean-up after a refusal. As
 * floors they may not be refused either: that would be the cheaper answer.
 */
import type { Redis } from 'ioredis';
import { bareDelete, bareSet, loadBare, newToken } from '../bare.ts';
import type { Contender, Opened } from './contender.ts';

type Decide = <T>(answers: readonly Promise<T>[], yes: T) => Promise<void>;

async function open(nodes: readonly Redis[], name: string, decided: Decide): Promise<Opened> {
  await Promise.all(nodes.map(loadBare));
  return {
    acquire: async () => {
      const token = newToken();
      await decided(
        nodes.map((node) => bareSet(node, name, token)),
        'OK',
      );
      return () =>
        decided(
          nodes.map((node) => bareDelete(node, name, token)),
          1,
        );
    },
  };
}

const allAnswers: Decide = async (answers, yes) => {
  for (const answer of await Promise.all(answers)) mustBe(answer, yes);
};

/** The replies that come later are not waited for, as in redlock 5. */
const firstMajority: Decide = (answers, yes) =>
  new Promise((resolve, reject) => {
    let missing = Math.floor(answers.length / 2) + 1;
    const count = (answer: unknown) => {
      mustBe(answer, yes);
      if (--missing === 0) resolve();
    };
    for (const answer of answers) answer.then(count).catch(reject);
  });

function mustBe<T>(answer: T, yes: T): void {
  if (answer !== yes) throw new Error(`the floor was refused: ${answer}`);
}

export const floor: Contender = {
  id: 'floor',
  label: 'bare commands, all replies',
  noWaiting: true,
  open: (nodes, name) => open(nodes, name, allAnswers),
};

export const majorityFloor: Contender = {
  id: 'floor-majority',
  label: 'bare commands, first majority of replies',
  noWaiting: true,
  open: (nodes, name) => open(nodes, name, firstMajority),
};
