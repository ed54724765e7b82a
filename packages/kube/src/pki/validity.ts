import { X509Certificate } from 'node:crypto';

/** From when until when a certificate holds, in milliseconds since the epoch. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

const DAY_MS = 86_400_000;
/** Clocks of machines differ, and the one that a certificate is made by may be corrected later. */
const LEAF_BACKDATED_MS = 30 * DAY_MS;
/** An authority is in the kubeconfigs of many, where nobody can renew it. */
const AUTHORITY_BACKDATED_MS = 3652 * DAY_MS;

/** For a certificate that is made now. */
export const leafValidity = (now: number, lengthMs: number): Validity => ({
  from: Math.max(0, now - LEAF_BACKDATED_MS),
  until: now + lengthMs,
});

/** For an authority that is made now. */
export const authorityValidity = (now: number, lengthMs: number): Validity => ({
  from: Math.max(0, now - AUTHORITY_BACKDATED_MS),
  until: now + lengthMs,
});

export const validityOf = (cert: string | X509Certificate): Validity => {
  const { validFromDate, validToDate } =
    typeof cert === 'string' ? new X509Certificate(cert) : cert;
  return { from: validFromDate.getTime(), until: validToDate.getTime() };
};

/** True if something holds now and for a while. */
export const holds = ({ from, until }: Validity, now: number, spareMs: number): boolean =>
  from <= now && until > now + spareMs;
