/** Long options that may be written with one dash, as in the examples of the Cluster design. */
const SINGLE_DASH: ReadonlySet<string> = new Set(['filename', 'name', 'id']);

/**
 * Rewrites arguments that commander does not parse: `-filename f` and `-name=x` with a single dash, and `-o=yaml`,
 * which kubectl takes. Short options with an attached value, such as `-nprod`, stay as they are.
 */
const normaliseArgument = (argument: string): string => {
  const [, name = ''] = /^-([a-z]+)(=.*)?$/.exec(argument) ?? [];
  if (SINGLE_DASH.has(name)) return `-${argument}`;
  return argument.replace(/^(-[a-zA-Z])=/, '$1');
};

/** Normalises the arguments for commander. After `--` there are no options. */
export const normaliseArguments = (args: readonly string[]): string[] => {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.map((argument, at) => (at < end ? normaliseArgument(argument) : argument));
};
