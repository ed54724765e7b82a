import type { Command } from 'commander';
import { wrap } from './wrap.ts';

/** One thing to type, and what it is for. */
export type Example = readonly [line: string, purpose: string];

/** What the help of a command says beside its arguments and options. */
export interface Lesson {
  readonly examples: readonly Example[];
  /** Paragraphs that come before the examples. */
  readonly text?: readonly string[];
  /** For commands that speak to no server, so that nobody wonders how to choose one. */
  readonly withoutServer?: boolean;
}

const lessons = new WeakMap<Command, Lesson>();

const WIDEST = 100;
const USUAL = 80;

const format = ({ text = [], examples }: Lesson): string => {
  const width = Math.min(process.stdout.columns ?? USUAL, WIDEST);
  const paragraphs = text.map((paragraph) => `\n${wrap(paragraph, width)}\n`);
  const shown = examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
  return `${paragraphs.join('')}\nExamples:\n${shown.join('\n\n')}`;
};

/** Gives a command its lesson, which the help shows and the reference tells. */
export const teach = (command: Command, lesson: Lesson): Command => {
  lessons.set(command, lesson);
  if (lesson.withoutServer) {
    command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
  }
  return command.addHelpText('after', () => format(lesson));
};

export const lessonOf = (command: Command): Lesson | undefined => lessons.get(command);
