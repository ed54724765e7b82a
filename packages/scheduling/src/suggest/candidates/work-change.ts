import { present } from '@perigee/schema/present';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { applyPatch } from '../../plan/merge.ts';
import type { Candidate, SuggestedTarget } from '../suggestion.ts';

const workTarget = ({ apiVersion, kind, metadata }: Template): SuggestedTarget => ({
  apiVersion,
  kind,
  ...present({ namespace: metadata.namespace }),
  name: metadata.name,
});

/** A candidate that changes the work itself. */
export const workChange = (
  template: Template,
  patch: object,
  words: Pick<Candidate, 'reason' | 'text' | 'cost'>,
): Candidate => ({
  ...words,
  target: workTarget(template),
  patch,
  change: { kind: 'put', of: 'template', object: applyPatch(template, patch) },
});
