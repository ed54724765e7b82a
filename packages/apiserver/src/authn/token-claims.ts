import type { Clock } from '@perigee/kube/clock/clock';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { LiveObject } from './live-objects.ts';
import { serviceAccountUsername } from './service-account-user.ts';
import type { TokenIssuer } from './token-issuer.ts';

/** An object whose deletion ends the token. */
export type Binding =
  | { readonly kind: 'pod'; readonly pod: LiveObject; readonly node?: ObjectRef }
  | { readonly kind: 'secret'; readonly secret: LiveObject }
  | { readonly kind: 'node'; readonly node: LiveObject };

export interface ObjectRef {
  readonly name: string;
  readonly uid?: string;
}

export interface TokenContent {
  readonly namespace: string;
  readonly serviceAccount: LiveObject;
  readonly binding?: Binding;
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
}

const refOf = ({ name, uid }: ObjectRef): JsonObject => ({
  name,
  ...present({ uid: uid || undefined }),
});

const boundTo = (binding: Binding | undefined): JsonObject => {
  switch (binding?.kind) {
    case 'pod':
      return {
        pod: refOf(binding.pod),
        ...present({ node: binding.node && refOf(binding.node) }),
      };
    case 'secret':
      return { secret: refOf(binding.secret) };
    case 'node':
      return { node: refOf(binding.node) };
    default:
      return {};
  }
};

/** The claims of a token, as Kubernetes writes them. */
export const tokenClaims = (
  { url }: TokenIssuer,
  clock: Clock,
  { namespace, serviceAccount, binding, audiences, lifetimeSeconds }: TokenContent,
): JsonObject => {
  const now = Math.floor(clock.now() / 1000);
  return {
    aud: [...audiences],
    exp: now + lifetimeSeconds,
    iat: now,
    iss: url,
    jti: clock.uuid(),
    'kubernetes.io': {
      namespace,
      ...boundTo(binding),
      serviceaccount: refOf(serviceAccount),
    },
    nbf: now,
    sub: serviceAccountUsername(namespace, serviceAccount.name),
  };
};
