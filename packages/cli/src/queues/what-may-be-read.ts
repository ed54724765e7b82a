import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { ApiError } from '@perigee/kube/errors';

/** Lists a kind; empty if the user may not, so that the rest can still be shown. */
export const whatMayBeRead = async <K extends ResourceKind>(client: Client, kind: K) => {
  try {
    return (await listAll(client, kind)).items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return [];
    throw error;
  }
};
