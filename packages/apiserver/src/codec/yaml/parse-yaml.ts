import { YamlError } from '@perigee/kube/errors';
import { parseYaml as parse } from '@perigee/kube/yaml/parse-yaml';
import type { JsonValue } from '@perigee/schema/json';
import { MalformedBodyError } from '../../errors.ts';
import { parseJson } from '../json/parse-json.ts';

export interface ParsedYaml {
  readonly value: JsonValue;
  /** One sentence for each key that is given again, as Kubernetes words it; the last one counts. */
  readonly duplicateKeys: readonly string[];
}

const BRACE = 0x7b;

/** Undefined if the text is not JSON, or needs a more detailed error. */
const asJson = (text: string): JsonValue | undefined => {
  if (text.charCodeAt(0) !== BRACE) return undefined;
  try {
    const { value, duplicateFields } = parseJson(text);
    return duplicateFields.length === 0 ? value : undefined;
  } catch (error) {
    if (error instanceof MalformedBodyError) return undefined;
    throw error;
  }
};

/**
 * Reads the first document of a YAML text as Kubernetes does. Throws `MalformedBodyError` for what is not
 * YAML, cannot be JSON, or is too much. Most clients send JSON under the name of YAML: that is read as
 * such, many times as fast, and may be as large as any JSON.
 */
export const parseYaml = (input: string | Buffer): ParsedYaml => {
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const json = asJson(text);
  if (json !== undefined) return { value: json, duplicateKeys: [] };
  try {
    const { value, duplicateKeys } = parse(text);
    return { value, duplicateKeys };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new MalformedBodyError('syntax', error.message);
  }
};
