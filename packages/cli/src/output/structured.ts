import { Option } from 'commander';

/** `-o`, for commands that print a table unless told otherwise. */
export const outputOption = (...more: readonly string[]): Option =>
  new Option('-o, --output <format>', 'how to print the result')
    .choices(['table', ...more, 'json', 'yaml'])
    .default('table');

/** The data as JSON or YAML; nothing when another format was asked for. */
export const formatStructured = async (
  format: string | undefined,
  data: unknown,
): Promise<string | undefined> => {
  if (format === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (format !== 'yaml') return undefined;
  const { stringify } = await import('yaml');
  // Who reads it by the older rules takes a plain time or `yes` for something else than a text.
  return stringify(data, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });
};
