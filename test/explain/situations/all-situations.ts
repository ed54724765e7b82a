import type { Situation } from '../situation.ts';
import { FILTERS } from './filters.ts';
import { HOLDS } from './holds.ts';
import { KINDS } from './kinds.ts';
import { MEMBERS } from './members.ts';
import { MISSPELT } from './misspelt.ts';
import { PAUSES } from './pauses.ts';
import { POLICIES } from './policies.ts';
import { ROLLOUTS } from './rollouts.ts';
import { TWO_FAULTS } from './two-faults.ts';

/** All ways in which work does not run that are tried. */
export const SITUATIONS: readonly Situation[] = [
  ...POLICIES,
  ...HOLDS,
  ...FILTERS,
  ...MEMBERS,
  ...MISSPELT,
  ...PAUSES,
  ...TWO_FAULTS,
  ...KINDS,
  ...ROLLOUTS,
];
