export const inDefault = (name: string) => ({ name, namespace: 'default' });

export const configMap = (name: string, value: string) => ({
  metadata: inDefault(name),
  data: { value },
});
