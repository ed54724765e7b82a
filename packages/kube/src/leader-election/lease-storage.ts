import { Lease, type LeaseSpec } from '@perigee/kubernetes/coordination/lease';
import type { Client, ObjectRef } from '../client/client.ts';
import { getOrUndefined } from '../client/get-or-undefined.ts';

/** The lease as the server has it now, if it exists. */
export const readLease = (
  client: Client,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Lease | undefined> => getOrUndefined(client, Lease, ref, { signal });

/** Writes the spec only if the lease is still as it was read; what others put beside it stays. */
export const writeLease = (
  client: Client,
  ref: ObjectRef,
  read: Lease | undefined,
  spec: LeaseSpec,
  signal: AbortSignal,
): Promise<Lease> =>
  read === undefined
    ? client.create(Lease, { metadata: ref, spec }, { signal })
    : client.update(Lease, { ...read, spec: { ...read.spec, ...spec } }, { signal });
