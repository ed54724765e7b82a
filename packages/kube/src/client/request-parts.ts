import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import type { DeleteOptions, Patch, WriteOptions } from './client.ts';
import type { QueryValue } from './resource-path.ts';

const PATCH_CONTENT_TYPES: { readonly [type in Patch['type']]: string } = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A patch as it goes over the wire. An applied object needs its apiVersion and kind, so these are filled in. */
export const patchBody = (
  kind: ResourceKind,
  patch: Patch,
): { readonly contentType: string; readonly body: object } => {
  const contentType = PATCH_CONTENT_TYPES[patch.type];
  switch (patch.type) {
    case 'json':
      return { contentType, body: patch.operations };
    case 'apply':
      return {
        contentType,
        body: { apiVersion: apiVersionOf(kind), kind: kind.kind, ...patch.body },
      };
    default:
      return { contentType, body: patch.body };
  }
};

export const writeQuery = ({
  dryRun,
  fieldManager,
  fieldValidation,
}: WriteOptions): { readonly [name: string]: QueryValue } => ({
  dryRun: dryRun ? 'All' : undefined,
  fieldManager,
  fieldValidation,
});

export const deleteBody = ({
  dryRun,
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
}: DeleteOptions): object => ({
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  dryRun: dryRun ? ['All'] : undefined,
  gracePeriodSeconds,
  propagationPolicy,
  preconditions,
});
