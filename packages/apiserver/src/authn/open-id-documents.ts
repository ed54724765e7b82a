import { type JsonDocument, jsonDocument } from '../discovery/json-document.ts';
import { publicJwk } from './signing-key.ts';
import type { TokenIssuer } from './token-issuer.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

/** What others need to check the service account tokens of a cluster by themselves, by path. */
export const openIdDocuments = (
  { url, key }: TokenIssuer,
  /** Where the API of the cluster is reached. */
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
