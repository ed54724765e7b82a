import type { JsonValue } from '@perigee/api/json';
import { LineCounter, parseDocument, type YAMLParseError } from 'yaml';
import { MalformedBodyError } from '../../errors.ts';
import { YamlConversion } from './yaml-conversion.ts';

export interface ParsedYaml {
  readonly value: JsonValue;
  /** One sentence for each key that is given again, as Kubernetes words it; the last one counts. */
  readonly duplicateKeys: readonly string[];
}

/** Where the `yaml` package and Go's parser complain about the same thing. */
const SENTENCES: { readonly [code: string]: string } = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_SCALAR_START: 'found character that cannot start any token',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_DQ_ESCAPE: 'found unknown escape character',
};

const explain = ({ code, message, linePos }: YAMLParseError): string => {
  if (code === 'RESOURCE_EXHAUSTION') return 'yaml: exceeded max depth';
  const own = message.split(/ at line \d|\n/)[0] ?? message;
  const sentence = own.startsWith('Missing closing')
    ? 'found unexpected end of stream'
    : (SENTENCES[code] ?? own.charAt(0).toLowerCase() + own.slice(1));
  return `yaml: line ${linePos?.[0].line ?? 1}: ${sentence}`;
};

/**
 * Reads the first document of a YAML text as Kubernetes does, into what JSON can say. Throws
 * `MalformedBodyError` for what is not YAML, cannot be JSON, or grows beyond measure by its aliases.
 */
export const parseYaml = (input: string | Buffer): ParsedYaml => {
  const lineCounter = new LineCounter();
  // Scalars and duplicates are read by the conversion: the rules here are those of no schema.
  const document = parseDocument(typeof input === 'string' ? input : input.toString('utf8'), {
    schema: 'failsafe',
    version: '1.1',
    uniqueKeys: false,
    lineCounter,
    prettyErrors: true,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) throw new MalformedBodyError('syntax', explain(error));
  const conversion = new YamlConversion(lineCounter);
  return { value: conversion.convert(document.contents), duplicateKeys: conversion.duplicateKeys };
};
