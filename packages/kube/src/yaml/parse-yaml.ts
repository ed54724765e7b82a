import type { JsonValue } from '@perigee/schema/json';
import type { LineCounter, YAMLParseError } from 'yaml';
import { YamlError } from '../errors.ts';
import { composeYaml } from './compose-yaml.ts';
import { YamlConversion } from './yaml-conversion.ts';

export interface ParsedYaml {
  readonly value: JsonValue;
  /** One sentence for each key that is given again, as Kubernetes words it; the last one counts. */
  readonly duplicateKeys: readonly string[];
  /** True if the text has another document, which was not read. */
  readonly hasMore: boolean;
}

/** Messages of Go's parser for errors of the `yaml` package. */
const SENTENCES: { readonly [code: string]: string } = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_SCALAR_START: 'found character that cannot start any token',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_DQ_ESCAPE: 'found unknown escape character',
};

const explain = ({ code, message, pos }: YAMLParseError, lines: LineCounter): string => {
  if (code === 'RESOURCE_EXHAUSTION') return 'yaml: exceeded max depth';
  const own = message.split('\n', 1)[0] ?? message;
  const sentence = own.startsWith('Missing closing')
    ? 'found unexpected end of stream'
    : (SENTENCES[code] ?? own.charAt(0).toLowerCase() + own.slice(1));
  return `yaml: line ${lines.linePos(pos[0]).line}: ${sentence}`;
};

/**
 * Reads the first document of a YAML text as Kubernetes does, into JSON values. Throws `YamlError`
 * for what is not YAML, cannot be JSON, or is too much.
 */
export const parseYaml = (text: string): ParsedYaml => {
  // Scalars and duplicates are read by the conversion: the rules here are those of no schema.
  const { document, lines, hasMore } = composeYaml(text, {
    schema: 'failsafe',
    version: '1.1',
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error) throw new YamlError(explain(error, lines));
  const conversion = new YamlConversion(lines);
  const value = conversion.convert(document.contents);
  return { value, duplicateKeys: conversion.duplicateKeys, hasMore };
};
