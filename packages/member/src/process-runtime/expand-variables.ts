type Variables = { readonly [name: string]: string };

const REFERENCE = /\$(\$|\(([^)]*)\))/g;

/** Puts values in for `$(NAME)`, as kubelets do: an unknown name stays as it is, and `$$` is one `$`. */
export const expandVariables = (text: string, variables: Variables): string =>
  text.replace(REFERENCE, (whole, mark: string, name: string) =>
    mark === '$' ? '$' : Object.hasOwn(variables, name) ? (variables[name] as string) : whole,
  );
