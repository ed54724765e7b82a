const KUBE_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY = ['alpha', 'beta', undefined];

/** The more stable version first, then the newer one: v2, v1, v1beta2, v1beta1, v1alpha1, others by name. */
export const compareVersions = (a: string, b: string): number => {
  const [ofA, ofB] = [KUBE_VERSION.exec(a), KUBE_VERSION.exec(b)];
  if (ofA === null || ofB === null) {
    if (ofA !== null || ofB !== null) return ofA === null ? 1 : -1;
    return a < b ? -1 : Number(a > b);
  }
  return (
    STABILITY.indexOf(ofB[2]) - STABILITY.indexOf(ofA[2]) ||
    Number(ofB[1]) - Number(ofA[1]) ||
    Number(ofB[3] ?? 0) - Number(ofA[3] ?? 0)
  );
};
