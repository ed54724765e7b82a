import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import type { CommitRequest } from './commit.ts';
import type { Draft } from './draft.ts';
import type { Registry } from './registry.ts';

/** Objects of a write: a deletion has the old one alone. */
export interface Written {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object?: JsonObject | undefined;
  readonly old?: JsonObject | undefined;
}

/** The webhooks and policies of users that match one write. */
export interface Reviewers {
  mutate(draft: Draft): Promise<JsonObject>;
  /** Throws an `ApiError` when one refuses. */
  validate(written: Written): Promise<void>;
}

/** Admission of all writes of one API. */
export interface Admission {
  /** The object after the steps of the server itself. Throws an `ApiError` to refuse it. */
  prepare(registry: Registry, draft: Draft): JsonObject;
  /** Throws an `ApiError` when the server itself keeps an object from being deleted. */
  admitDeletion(resource: ServedResource, object: JsonObject): void;
  /** Undefined when a write need not wait for any. */
  reviewersOf(
    registry: Registry,
    resource: ServedResource,
    request: CommitRequest,
  ): Reviewers | undefined;
  /** The body of a request that stores nothing itself, such as a binding, as reviewers let it through. */
  admitAction(
    registry: Registry,
    resource: ServedResource,
    request: CommitRequest & { readonly body: JsonObject },
  ): Promise<JsonObject>;
}
