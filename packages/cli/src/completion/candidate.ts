/** A completion of a word. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** The result of a completion for a shell. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** File names fit, too. */
  readonly withFiles?: boolean;
  /** The word continues after the candidate, so the shell must not append a blank. */
  readonly goesOn?: boolean;
}

const NO_SPACE = 2;
const NO_FILES = 4;

/** Formats candidates, followed by a directive, in the protocol of cobra that shells and kubectl read. */
export const formatCompletion = (completion: Completion): string => {
  const { candidates, withFiles = false, goesOn = false } = completion;
  const lines = candidates.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  const directive = (withFiles ? 0 : NO_FILES) | (goesOn ? NO_SPACE : 0);
  return `${[...lines, `:${directive}`].join('\n')}\n`;
};
