import type { BadRequest } from './bad-request.ts';
import { BODY_REQUESTS } from './body-requests.ts';
import { OBJECT_REQUESTS } from './object-requests.ts';
import { PATCH_REQUESTS } from './patch-requests.ts';
import { PATH_REQUESTS } from './path-requests.ts';
import { QUERY_REQUESTS } from './query-requests.ts';

export const BAD_REQUESTS: readonly BadRequest[] = [
  ...BODY_REQUESTS,
  ...PATH_REQUESTS,
  ...QUERY_REQUESTS,
  ...PATCH_REQUESTS,
  ...OBJECT_REQUESTS,
];
