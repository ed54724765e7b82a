import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { keysOfUser, subjectKey } from './subject-key.ts';

type Bindings = Map<string, RoleBinding>;

const subjectKeys = ({ subjects, metadata }: RoleBinding): ReadonlySet<string> => {
  const keys = (subjects ?? []).map((subject) => subjectKey(subject, metadata.namespace ?? ''));
  return new Set(keys.filter((key) => key !== undefined));
};

const byName = (a: RoleBinding, b: RoleBinding): number =>
  a.metadata.name < b.metadata.name ? -1 : 1;

/** Index of bindings by subject. ClusterRoleBindings are in the namespace with the empty name. */
export class BindingIndex {
  readonly #byNamespace = new Map<string, Map<string, Bindings>>();

  add(binding: RoleBinding): void {
    const { name, namespace = '' } = binding.metadata;
    const bySubject = this.#byNamespace.get(namespace) ?? new Map<string, Bindings>();
    for (const key of subjectKeys(binding)) {
      const bindings = bySubject.get(key) ?? new Map();
      bySubject.set(key, bindings.set(name, binding));
    }
    if (bySubject.size > 0) this.#byNamespace.set(namespace, bySubject);
  }

  remove(binding: RoleBinding): void {
    const { name, namespace = '' } = binding.metadata;
    const bySubject = this.#byNamespace.get(namespace);
    for (const key of subjectKeys(binding)) {
      const bindings = bySubject?.get(key);
      bindings?.delete(name);
      if (bindings?.size === 0) bySubject?.delete(key);
    }
    if (bySubject?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Those that name the user, each once: first those of the whole cluster. In the order of names. */
  find(user: UserInfo, namespace: string): readonly RoleBinding[] {
    const keys = keysOfUser(user);
    const everywhere = this.#in('', keys);
    return namespace === '' ? everywhere : [...everywhere, ...this.#in(namespace, keys)];
  }

  #in(namespace: string, keys: readonly string[]): readonly RoleBinding[] {
    const bySubject = this.#byNamespace.get(namespace);
    if (bySubject === undefined) return [];
    const userBindings = new Set<RoleBinding>();
    for (const key of keys) {
      for (const binding of bySubject.get(key)?.values() ?? []) userBindings.add(binding);
    }
    return [...userBindings].sort(byName);
  }
}
