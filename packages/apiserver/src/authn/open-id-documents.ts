import { type JsonDocument, jsonDocument } from '../discovery/json-document.ts';
import { publicJwk } from './signing-key.ts';
import type { TokenIssuer } from './token-issuer.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

/** The documents by path with which others verify service account tokens of a cluster by themselves. */
export const openIdDocuments = (
  { url, key }: TokenIssuer,
  /** URL of the cluster's API. */
  serverUrl: string,
): ReadonlyMap<string, JsonDocument> =>
  new Map([
    [
      CONFIGURATION,
      jsonDocument({
        issuer: url,
        jwks_uri: `${serverUrl}${KEYS}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [key.algorithm],
      }),
    ],
    [
      KEYS,
      { ...jsonDocument({ keys: [publicJwk(key)] }), contentType: 'application/jwk-set+json' },
    ],
  ]);
