import { Option } from 'commander';
import { stringify } from 'yaml';

/** `-o`, for commands that print a table unless told otherwise. */
export const outputOption = (...more: readonly string[]): Option =>
  new Option('-o, --output <format>', 'how to print the result').choices(['json', 'yaml', ...more]);

/** The data as JSON or YAML; nothing when another format was asked for. */
export const formatStructured = (format: string | undefined, data: unknown): string | undefined => {
  if (format === 'json') return `${JSON.stringify(data, null, 2)}\n`;
  if (format === 'yaml') return stringify(data);
  return undefined;
};
