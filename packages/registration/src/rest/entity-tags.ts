import { createHash, type Hash } from 'node:crypto';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { RestError } from '../errors.ts';
import { headerOf, type RestRequest } from './exchange.ts';

/** Changes with every write to the record, including its status. */
export const tagOfCluster = ({ metadata }: ClusterRecord): string =>
  `"${metadata.resourceVersion}"`;

/** The tag of a resource without a resource version. */
export const tagOfDigest = (hash: Hash): string => `"${hash.digest('base64url').slice(0, 22)}"`;

export const tagOfText = (text: string): string => tagOfDigest(createHash('sha256').update(text));

/** Splits at commas, except those inside quotes. */
const PARTS = /(?:[^",]|"[^"]*(?:"|$))+/g;
const TAG = /^(W\/)?"([^"]*)"$/;

interface Tag {
  readonly isWeak: boolean;
  readonly value: string;
}

/** The tags of a header; `any` for a star, undefined if the header is absent. */
const tagsIn = (request: RestRequest, name: string): readonly Tag[] | 'any' | undefined => {
  const text = headerOf(request, name)?.trim();
  if (text === undefined) return undefined;
  if (text === '*') return 'any';
  return (text.match(PARTS) ?? [text]).map((part) => {
    const [whole, weak, value = ''] = TAG.exec(part.trim()) ?? [];
    if (whole !== undefined) return { isWeak: weak !== undefined, value };
    throw new RestError(400, {
      detail: `the header ${name} must be a list of entity tags in double quotes, or *`,
      errors: [{ field: name, detail: `${JSON.stringify(part.trim())} is no entity tag` }],
    });
  });
};

/** The versions in If-Match; undefined without the header. Weak tags never match (RFC 9110). */
export const versionsWanted = (request: RestRequest): readonly string[] | undefined => {
  const tags = tagsIn(request, 'if-match');
  if (tags === undefined || tags === 'any') return undefined;
  return tags.filter(({ isWeak }) => !isWeak).map(({ value }) => value);
};

/** True for `If-None-Match: *`: create only. */
export const wantsNew = (request: RestRequest): boolean =>
  tagsIn(request, 'if-none-match') === 'any';

/** True if the client's cached version is current (304). Throws 412 if If-Match names only other versions. */
export const hasAlready = (request: RestRequest, tag: string): boolean => {
  const value = tag.slice(1, -1);
  const wantedVersions = versionsWanted(request);
  if (wantedVersions !== undefined && !wantedVersions.includes(value)) {
    throw new RestError(412, {
      reason: 'Changed',
      detail: `If-Match does not fit: the entity tag is ${tag} now`,
    });
  }
  const clientTags = tagsIn(request, 'if-none-match');
  return clientTags === 'any' || (clientTags?.some((one) => one.value === value) ?? false);
};
