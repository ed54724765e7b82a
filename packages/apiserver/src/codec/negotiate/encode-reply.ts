import type { JsonValue } from '@perigee/schema/json';
import { writeYaml } from '../yaml/write-yaml.ts';

export interface Encoding {
  readonly encoding: 'json' | 'yaml';
  readonly isPretty: boolean;
}

/** A reply as text. */
export const encodeReply = (value: JsonValue, { encoding, isPretty }: Encoding): string => {
  if (encoding === 'yaml') return writeYaml(value);
  return isPretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
};
