import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { AccessAnswer } from '../access/access.ts';
import { createInProcessClient } from '../client/in-process-client.ts';
import { forbiddenRequest } from '../rbac/forbidden-request.ts';
import type { Exchange } from './exchange.ts';
import type { ServedApi } from './served-api.ts';

/** Operations for a user of the HTTP API inside the server. */
export type CallerClient = Pick<Client, 'get' | 'list' | 'create' | 'update' | 'delete'>;

/** Key of the decision in the audit log; the first refusal stays, whatever else is done for the request. */
export const DECISION = 'authorization.k8s.io/decision';

/** The answer of an API without authorization. */
const OPEN: AccessAnswer = { allowed: true };

interface Call {
  readonly verb: keyof CallerClient;
  readonly kind: ResourceKind;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
}

const metadataOf = (object: object) =>
  (object as { readonly metadata: { readonly name?: string; readonly namespace?: string } })
    .metadata;

/** A client with the permissions of its user: every call is authorized and admitted as if it had come over HTTP. */
export const createCallerClient = (
  { registry, admit }: ServedApi,
  { warnings, audit }: Pick<Exchange, 'warnings' | 'audit'>,
  user: UserInfo,
): CallerClient => {
  const warn = (text: string): void => void warnings.push(text);
  const annotate = (key: string, value: string): void => audit?.annotate(key, value);
  const caller = { ...registry, caller: { user, warn, annotate } };
  /** The client for one call, if that is allowed. */
  const clientFor = async (call: Call): Promise<Client> => {
    const { verb, kind, name = '', namespace = '', subresource = '' } = call;
    const attributes = {
      user,
      verb,
      apiGroup: kind.group,
      apiVersion: kind.version,
      resource: kind.plural,
      subresource,
      name,
      namespace,
    };
    const { allowed: may, reason = '' } = (await registry.access?.allowed(attributes)) ?? OPEN;
    if (!may) {
      annotate(DECISION, 'forbid');
      throw forbiddenRequest(attributes, reason);
    }
    const guarded: typeof registry =
      admit === undefined
        ? caller
        : { ...caller, admit: (resource, write) => admit({ user, verb }, resource, write) };
    return createInProcessClient(guarded, { user, onWarning: warn });
  };
  return {
    get: async (kind, ref, options) => {
      const subresource = options?.subresource;
      return (await clientFor({ verb: 'get', kind, ...ref, subresource })).get(kind, ref, options);
    },
    list: async (kind, options) => {
      const namespace = options?.namespace;
      return (await clientFor({ verb: 'list', kind, namespace })).list(kind, options);
    },
    create: async (kind, object, options) => {
      const { namespace } = metadataOf(object);
      const call = { verb: 'create', kind, namespace, subresource: options?.subresource } as const;
      return (await clientFor(call)).create(kind, object, options);
    },
    update: async (kind, object, options) => {
      const { name, namespace } = metadataOf(object);
      const subresource = options?.subresource;
      const call = { verb: 'update', kind, name, namespace, subresource } as const;
      return (await clientFor(call)).update(kind, object, options);
    },
    delete: async (kind, ref, options) =>
      (await clientFor({ verb: 'delete', kind, ...ref })).delete(kind, ref, options),
  };
};
