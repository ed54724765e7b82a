/** Exit codes that scripts can rely on. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** A plan or a dry run found changes. */
  wouldMove: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  invalid: 6,
  unreachable: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each code, for the help and the reference. */
export const EXIT_MEANINGS: { readonly [code in ExitCode]: string } = {
  [EXIT.ok]: 'it worked',
  [EXIT.failed]: 'it failed, for a reason that has no code of its own',
  [EXIT.usage]: 'the command line is wrong; of plan and --dry-run: something would change',
  [EXIT.notFound]: 'what was named is not there',
  [EXIT.refused]: 'the server does not allow it',
  [EXIT.conflict]: 'it does not fit what is there: taken, changed meanwhile, or still in use',
  [EXIT.invalid]: 'a file or an object is not valid',
  [EXIT.unreachable]: 'no server answers, or none is configured',
};
