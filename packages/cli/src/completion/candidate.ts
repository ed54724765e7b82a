/** One way to go on with a word. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What a shell can offer. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Whether names of files fit, too. */
  readonly withFiles?: boolean;
  /** Whether more of the same word follows, so that no blank may be put after it. */
  readonly goesOn?: boolean;
}

const NO_SPACE = 2;
const NO_FILES = 4;

/** The lines that shells and kubectl read: candidates, and last how to treat them. */
export const formatCompletion = (completion: Completion): string => {
  const { candidates, withFiles = false, goesOn = false } = completion;
  const lines = candidates.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  const directive = (withFiles ? 0 : NO_FILES) | (goesOn ? NO_SPACE : 0);
  return `${[...lines, `:${directive}`].join('\n')}\n`;
};
