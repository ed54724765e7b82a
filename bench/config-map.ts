const SETTINGS = Object.fromEntries(
  Array.from({ length: 16 }, (_, n) => [
    `setting-${n}`,
    `value ${n} of what the team has set here`,
  ]),
);

/** A ConfigMap of some 1 kB; the version makes one write of it differ from the next. */
export const configMapOf = (namespace: string, name: string, version: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'web', tier: 'front' } },
  data: { ...SETTINGS, version: String(version) },
});
