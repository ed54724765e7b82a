import type { JsonValue } from '@perigee/schema/json';
import { stringify } from 'yaml';
import { YamlError } from '../errors.ts';
import { parseYaml } from './parse-yaml.ts';

/** Reads and writes YAML for those who must not know a parser. */
export const yamlFormat = {
  parse(text: string): JsonValue {
    const { value, hasMore } = parseYaml(text);
    if (hasMore)
      throw new YamlError('yaml: there are several documents, and only one can be changed');
    return value;
  },
  format: (value: JsonValue): string =>
    // Strings stay strings for readers of YAML 1.1, such as Kubernetes.
    stringify(value, { version: '1.1', aliasDuplicateObjects: false }),
};
