import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';

/** A key that signs tokens. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly algorithm: 'ES256' | 'RS256';
  /** Follows from the public key, as Kubernetes makes it. */
  readonly id: string;
}

const algorithmOf = (key: KeyObject): SigningKey['algorithm'] => {
  const { namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256';
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  throw new ConfigError(
    `tokens cannot be signed with a key of type ${key.asymmetricKeyType}: use EC with the curve P-256, or RSA`,
  );
};

export const signingKey = (pem: string): SigningKey => {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    privateKey,
    publicKey,
    algorithm: algorithmOf(privateKey),
    id: createHash('sha256').update(der).digest('base64url'),
  };
};

/** The public half, for those who check tokens elsewhere. */
export const publicJwk = ({ publicKey, algorithm, id }: SigningKey): JsonObject => {
  const { kty, ...parameters } = publicKey.export({ format: 'jwk' }) as JsonObject;
  return {
    use: 'sig',
    ...present({ kty }),
    kid: id,
    alg: algorithm,
    ...parameters,
  };
};
