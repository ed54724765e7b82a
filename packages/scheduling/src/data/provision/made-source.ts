import { createHash } from 'node:crypto';
import { InvalidObjectError } from '@perigee/api/errors';
import { isJsonObject } from '@perigee/api/json';
import { admit } from '@perigee/api/kind/admit';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { type DataQuestion, questionText } from './data-question.ts';
import type { FoundData } from './read-answer.ts';

/** Holds what the provisioner was asked, as JSON. Whoever takes it away makes the object their own. */
export const PROVISIONED_FOR = 'policy.perigee.io/provisioned-for';

const LONGEST_NAME = 253;
const DIGEST_DIGITS = 16;

/** The part of a name that people read. It may be the same for different data; the digest is not. */
const readable = ({ system, dataSourceType, dataSourceName = '' }: DataQuestion): string =>
  [system, dataSourceType, dataSourceName]
    .join('-')
    .slice(0, LONGEST_NAME - DIGEST_DIGITS - 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .split('.')
    .map((label) => label.replace(/^-/, '').replace(/-$/, ''))
    .filter((label) => label !== '')
    .join('.');

/** The name of the object that is made for a question: valid, and another one for every other question. */
export const madeName = (question: DataQuestion): string => {
  const digest = createHash('sha256').update(questionText(question)).digest('hex');
  const parts = [readable(question), digest.slice(0, DIGEST_DIGITS)];
  return parts.filter((part) => part !== '').join('-');
};

const isQuestion = (value: unknown): value is DataQuestion =>
  isJsonObject(value) &&
  typeof value.system === 'string' &&
  typeof value.dataSourceType === 'string';

/**
 * What the provisioner was asked that made this source; absent when a person made it. A copy under another name is a
 * person's, too.
 */
export const askedFor = ({ metadata }: Pick<DataSource, 'metadata'>): DataQuestion | undefined => {
  const text = metadata.annotations?.[PROVISIONED_FOR];
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return isQuestion(read) && madeName(read) === metadata.name ? read : undefined;
  } catch {
    return undefined;
  }
};

/** The source that is made of an answer, or what is wrong with the answer. */
export const madeSource = (
  question: DataQuestion,
  { name, locality, attributes, size }: FoundData,
): { readonly source: DataSource } | { readonly problem: string } => {
  const known = attributes ?? question.attributes;
  try {
    const { object } = admit(DataSource, {
      metadata: {
        name: madeName(question),
        annotations: { [PROVISIONED_FOR]: questionText(question) },
      },
      spec: {
        system: question.system,
        type: question.dataSourceType,
        name: question.dataSourceName ?? name,
        locality,
        ...(known === undefined ? {} : { attributes: known }),
        ...(size === undefined ? {} : { size }),
        reclaimPolicy: 'Delete',
      },
    });
    return { source: object };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return { problem: error.message };
  }
};
