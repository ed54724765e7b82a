/** One line of the Prometheus text format: a name, labels and a number. */
export type Sample = string;

export const formatNumber = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);

const ESCAPES: { readonly [character: string]: string } = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };

export const escapeHelp = (text: string): string =>
  text.replace(/[\\\n]/g, (character) => ESCAPES[character] ?? character);

export const formatLabel = (name: string, value: string): string =>
  `${name}="${value.replace(/[\\\n"]/g, (character) => ESCAPES[character] ?? character)}"`;

export const joinLabels = (...labels: readonly string[]): string =>
  labels.filter((label) => label !== '').join(',');

export const sample = (name: string, labels: string, value: number): Sample =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}\n`;
