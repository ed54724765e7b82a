import { Option } from 'commander';

/** `-o`, for commands that print a table by default. */
export const outputOption = (...more: readonly string[]): Option =>
  new Option('-o, --output <format>', 'how to print the result')
    .choices(['table', ...more, 'json', 'yaml'])
    .default('table');

/** Formats data as JSON or YAML; undefined for other formats. */
export const formatStructured = async (
  format: string | undefined,
  data: unknown,
): Promise<string | undefined> => {
  if (format === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (format !== 'yaml') return undefined;
  const { stringify } = await import('yaml');
  // YAML 1.1 parsers read unquoted times and `yes` as other types, so those are quoted.
  return stringify(data, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });
};
