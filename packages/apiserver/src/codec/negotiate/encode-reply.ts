import type { JsonValue } from '@perigee/api/json';
import { stringify } from 'yaml';

export interface Encoding {
  readonly encoding: 'json' | 'yaml';
  readonly isPretty: boolean;
}

/** A reply as text. YAML has its keys in order, as Kubernetes writes it. */
export const encodeReply = (value: JsonValue, { encoding, isPretty }: Encoding): string => {
  if (encoding === 'yaml') {
    return stringify(value, {
      version: '1.1',
      aliasDuplicateObjects: false,
      indentSeq: false,
      sortMapEntries: true,
    });
  }
  return isPretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`;
};
