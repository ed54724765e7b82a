import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import type { InputOptions } from './decode-input.ts';
import type { Registry } from './registry.ts';

export interface ActionRequest extends InputOptions {
  readonly namespace?: string;
  /** The object that the action is about; absent when the body names it. */
  readonly name?: string;
  readonly body: JsonObject;
  readonly dryRun?: boolean;
  readonly user: UserInfo;
}

/** Handles the creation of an object that is never stored, such as a review. */
export type Action = (
  registry: Registry,
  resource: ServedResource,
  request: ActionRequest,
) => Promise<JsonObject>;

/** The response of an action without a result. */
export const DONE: JsonObject = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};
