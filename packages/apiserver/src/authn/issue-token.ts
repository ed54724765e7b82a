import type { Clock } from '@perigee/kube/clock/clock';
import { goQuote } from '@perigee/schema/go-text';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import type { IssuedToken, TokenOrder } from '../access/token-order.ts';
import { conflict, notFound } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';
import { signJwt } from './jwt.ts';
import type { BoundPlural, LiveObject, LiveObjects } from './live-objects.ts';
import { type Binding, type ObjectRef, tokenClaims } from './token-claims.ts';
import type { TokenIssuer } from './token-issuer.ts';

export interface IssuingOptions {
  readonly issuer: TokenIssuer;
  readonly objects: LiveObjects;
  readonly clock: Clock;
}

const find = (
  objects: LiveObjects,
  plural: BoundPlural,
  namespace: string | undefined,
  name: string,
): LiveObject => {
  const liveObject = objects(plural, namespace, name);
  if (liveObject === undefined) throw notFound({ group: '', plural }, name);
  return liveObject;
};

const podSpecOf = ({ object }: LiveObject) =>
  (object.spec ?? {}) as { readonly serviceAccountName?: string; readonly nodeName?: string };

/** The node of a pod is informational: it is included even if the node no longer exists. */
const nodeOfPod = (objects: LiveObjects, pod: LiveObject): ObjectRef | undefined => {
  const { nodeName } = podSpecOf(pod);
  return nodeName ? (objects('nodes', undefined, nodeName) ?? { name: nodeName }) : undefined;
};

const bindToPod = (
  objects: LiveObjects,
  { namespace, serviceAccount }: TokenOrder,
  name: string,
): Binding => {
  const pod = find(objects, 'pods', namespace, name);
  if (podSpecOf(pod).serviceAccountName !== serviceAccount) {
    throw badRequest(
      `cannot bind token for serviceaccount ${goQuote(serviceAccount)} to pod running with different serviceaccount name.`,
    );
  }
  const node = nodeOfPod(objects, pod);
  return { kind: 'pod', pod, ...present({ node }) };
};

const refuseOther = (kind: string, liveObject: LiveObject, uid: string | undefined): void => {
  if (!uid || uid === liveObject.uid) return;
  throw conflict(
    { group: '', plural: kind },
    liveObject.name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
};

const bindingFor = (objects: LiveObjects, order: TokenOrder): Binding | undefined => {
  if (order.boundObjectRef === undefined) return undefined;
  const { apiVersion = '', kind = '', name = '', uid } = order.boundObjectRef;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  switch (group === '' ? kind : '') {
    case 'Pod': {
      const binding = bindToPod(objects, order, name);
      if (binding.kind === 'pod') refuseOther(kind, binding.pod, uid);
      return binding;
    }
    case 'Secret': {
      const secret = find(objects, 'secrets', order.namespace, name);
      refuseOther(kind, secret, uid);
      return { kind: 'secret', secret };
    }
    case 'Node': {
      const node = find(objects, 'nodes', undefined, name);
      refuseOther(kind, node, uid);
      return { kind: 'node', node };
    }
    default:
      throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
};

/** Issues a token for a service account, with the errors of Kubernetes. */
export const issueToken = (
  { issuer, objects, clock }: IssuingOptions,
  order: TokenOrder,
): IssuedToken => {
  const { namespace, expirationSeconds } = order;
  const serviceAccount = find(objects, 'serviceaccounts', namespace, order.serviceAccount);
  const binding = bindingFor(objects, order);
  const audiences = order.audiences.length === 0 ? issuer.audiences : order.audiences;
  const expirationTimestamp = formatTime(clock.now() + expirationSeconds * 1000);
  const claims = tokenClaims(issuer, clock, {
    namespace,
    serviceAccount,
    ...present({ binding }),
    audiences,
    lifetimeSeconds: expirationSeconds,
  });
  return { audiences, token: signJwt(issuer.key, claims), expirationTimestamp };
};
