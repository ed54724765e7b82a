/** A Secret with one value, of some 0.5 kB as it is stored; the version makes one write differ from the next. */
export const secretOf = (namespace: string, name: string, version: number) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: { version: Buffer.from(String(version)).toString('base64') },
});
