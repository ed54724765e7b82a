import { PatchError } from '../errors.ts';
import { refusal } from '../status/refusal.ts';

const REASONS = { 400: 'BadRequest', 413: 'RequestEntityTooLarge', 422: 'Invalid' } as const;

/** Does the work, and answers for a patch that cannot be applied. */
export const refusingBadPatch = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const prefix = error.code === 413 ? 'Request entity too large: ' : '';
    throw refusal(error.code, REASONS[error.code], prefix + error.message);
  }
};
