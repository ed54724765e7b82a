import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import { type PolicyRule, Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding, type RoleRef } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { RevisionError } from '../errors.ts';
import { keyOf, type Registry } from '../registry/registry.ts';
import { authorize, type Decision, type Policy } from './authorize.ts';
import { BindingIndex } from './binding-index.ts';
import { type SubjectRules, subjectRules } from './subject-rules.ts';

/** The status of an access review. */
export interface AccessReview {
  readonly allowed: boolean;
  readonly denied?: true;
  readonly reason?: string;
}

const bindingOf = (object: JsonObject): RoleBinding => object as unknown as RoleBinding;

/**
 * Authorizes by the RBAC objects of one API. Roles are read from the store; bindings are indexed by subject. A
 * decision takes in the changes since the last one from the store's history, so it reflects all earlier writes.
 */
export class AccessControl implements Policy {
  readonly #registry: Pick<Registry, 'store' | 'cluster'>;
  #index = new BindingIndex();
  /** The revision of the index; none before the first decision. */
  #revision: number | undefined;

  constructor(registry: Pick<Registry, 'store' | 'cluster'>) {
    this.#registry = registry;
  }

  authorize(attributes: Attributes): Decision {
    return authorize(this, attributes);
  }

  /** The decision in the form of a SubjectAccessReview. */
  allowed(attributes: Attributes): AccessReview {
    const { decision, reason } = this.authorize(attributes);
    return {
      allowed: decision === 'allow',
      ...present({ denied: decision === 'deny' || undefined, reason: unlessEmpty(reason) }),
    };
  }

  /** The answer to SelfSubjectRulesReview. */
  rulesFor(user: UserInfo, namespace: string): SubjectRules {
    return subjectRules(this, user, namespace);
  }

  bindingsOf(user: UserInfo, namespace: string): readonly RoleBinding[] {
    this.#catchUp();
    return this.#index.find(user, namespace);
  }

  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const entry =
      kind === 'ClusterRole'
        ? this.#registry.store.get(this.#table(ClusterRole), name)
        : this.#registry.store.get(this.#table(Role), keyOf(namespace, name));
    const role = entry?.object as unknown as Role | undefined;
    return role === undefined ? undefined : (role.rules ?? []);
  }

  #catchUp(): void {
    const { revision } = this.#registry.store;
    if (revision === this.#revision) return;
    if (this.#revision === undefined || !this.#follow(this.#revision)) this.#rebuild();
    this.#revision = revision;
  }

  /** False when the history does not reach back that far. */
  #follow(since: number): boolean {
    try {
      const events = [ClusterRoleBinding, RoleBinding].flatMap((kind) =>
        this.#registry.store.changes(this.#table(kind), since),
      );
      for (const event of events) {
        if (event.type !== 'ADDED') this.#index.remove(bindingOf(event.previous.object));
        if (event.type !== 'DELETED') this.#index.add(bindingOf(event.entry.object));
      }
      return true;
    } catch (error) {
      if (error instanceof RevisionError) return false;
      throw error;
    }
  }

  #rebuild(): void {
    this.#index = new BindingIndex();
    for (const kind of [ClusterRoleBinding, RoleBinding]) {
      for (const { object } of this.#registry.store.range(this.#table(kind)).entries) {
        this.#index.add(bindingOf(object));
      }
    }
  }

  #table({ plural }: { readonly plural: string }): string {
    return `${this.#registry.cluster}/${RBAC_GROUP}/${plural}`;
  }
}
