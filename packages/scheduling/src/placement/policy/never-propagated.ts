/** Objects that the control plane writes about propagation. To propagate these in turn would never end. */
const OWN_GROUPS: ReadonlySet<string> = new Set([
  'cluster.karmada.io',
  'cluster.perigee.io',
  'policy.karmada.io',
  'work.karmada.io',
  'events.k8s.io',
]);

/** True for the kinds that no policy propagates, as in Karmada: those of the control plane, and Events. */
export const isNeverPropagated = ({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean =>
  OWN_GROUPS.has(apiVersion.split('/')[0] ?? '') || (apiVersion === 'v1' && kind === 'Event');
