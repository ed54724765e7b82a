type Finalizers = readonly string[];

export const hasFinalizer = (
  object: { readonly metadata: { readonly finalizers?: Finalizers } },
  finalizer: string,
): boolean => object.metadata.finalizers?.includes(finalizer) ?? false;

/** Adds the finalizer at the end; the very same array when it is there already. */
export const addFinalizer = (finalizers: Finalizers | undefined, finalizer: string): Finalizers =>
  finalizers?.includes(finalizer) ? finalizers : [...(finalizers ?? []), finalizer];

/** Takes the finalizer away; the very same array when it is not there. */
export const removeFinalizer = (
  finalizers: Finalizers | undefined = [],
  finalizer: string,
): Finalizers =>
  finalizers.includes(finalizer) ? finalizers.filter((other) => other !== finalizer) : finalizers;
