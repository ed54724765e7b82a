import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { differsBeyondStatus } from '@perigee/kube/controller/beyond-status';
import type { Source, SourceContext } from '@perigee/kube/controller/source';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { isNeverPropagated } from '@perigee/scheduling/placement/policy/never-propagated';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { policyLabel } from '@perigee/scheduling/placement/policy/propagated-by';
import { bestMatch } from '@perigee/scheduling/placement/policy/selector-match';
import { BY_OVERRIDE } from './policies.ts';
import { type KindNames, PropagatedKinds } from './propagated-kinds.ts';
import { keyOf, refOfTemplate } from './template-key.ts';

const POLICIES = [
  PropagationPolicy,
  ClusterPropagationPolicy,
] as readonly ResourceKind<AnyPolicy>[];
const BINDINGS = [ResourceBinding, ClusterResourceBinding] as readonly ResourceKind[];
const OVERRIDES = [OverridePolicy, ClusterOverridePolicy] as readonly ResourceKind[];

/** More selectors are compared in the reconciles, one object at a time: users may write 1,000 for 10,000 objects. */
const MOST_COMPARED = 20;

const kindsOf = ({ spec }: AnyPolicy) =>
  spec.resourceSelectors.filter((selector) => !isNeverPropagated(selector));

const NAMES: readonly KindNames<never>[] = [
  ...POLICIES.map((kind) => ({ in: kind, of: kindsOf })),
  ...BINDINGS.map((kind) => ({ in: kind, of: ({ spec }: ResourceBinding) => [spec.resource] })),
] as never;

/**
 * Enqueues templates: when they change, when a policy changes that has or selects them, when their
 * binding is changed or lost, and when an override that a policy waits for is created.
 */
export class TemplateSource implements Source {
  readonly kinds: readonly ResourceKind[] = [...POLICIES, ...BINDINGS, ...OVERRIDES];
  readonly #client: Client;
  readonly #clock: Clock;
  #templates: PropagatedKinds | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The templates that are known; none before the start. */
  get templates(): PropagatedKinds | undefined {
    return this.#templates;
  }

  start(context: SourceContext): Disposable {
    const { informers, enqueue } = context;
    const stack = new DisposableStack();
    const enqueueTemplate = (template: KubeObject): void => enqueue(refOfTemplate(keyOf(template)));
    const templates = stack.use(
      new PropagatedKinds(this.#client, this.#clock, context, NAMES, enqueueTemplate),
    );
    this.#templates = templates;
    const recheckPolicy = (policy: AnyPolicy): void => {
      for (const template of this.#wantedBy(policy, templates)) enqueueTemplate(template);
      for (const template of templates.ofPolicy(policyLabel(policy).id)) enqueueTemplate(template);
    };
    for (const kind of POLICIES) {
      const informer = informers.for(kind);
      stack.use(
        informer.addHandler({
          onAdd: recheckPolicy,
          onUpdate: (now, before) => {
            recheckPolicy(before);
            recheckPolicy(now);
          },
          onDelete: recheckPolicy,
        }),
      );
    }
    for (const kind of BINDINGS) {
      const recheckBinding = (binding: KubeObject): void => {
        const { resource } = (binding as ResourceBinding).spec;
        enqueue(refOfTemplate(resource));
      };
      const onUpdate = (now: KubeObject, before: KubeObject): void => {
        if (differsBeyondStatus(now, before)) recheckBinding(now);
      };
      stack.use(informers.for(kind).addHandler({ onUpdate, onDelete: recheckBinding }));
    }
    for (const kind of OVERRIDES) {
      const recheckWaiting = ({ metadata }: KubeObject): void => {
        for (const policyKind of POLICIES) {
          const waitingPolicies = informers.for(policyKind).byIndex(BY_OVERRIDE, metadata.name);
          for (const policy of waitingPolicies) recheckPolicy(policy);
        }
      };
      stack.use(informers.for(kind).addHandler({ onAdd: recheckWaiting }));
    }
    return stack;
  }

  *#wantedBy({ metadata, spec }: AnyPolicy, templates: PropagatedKinds): Generator<Template> {
    const scopes = Map.groupBy(spec.resourceSelectors, ({ apiVersion, kind, namespace }) =>
      [apiVersion, kind, namespace ?? metadata.namespace].join(' '),
    );
    for (const selectors of scopes.values()) {
      const [{ apiVersion, kind, namespace = metadata.namespace }] = selectors as [
        ResourceSelector,
      ];
      const informer = templates.of(apiVersion, kind);
      if (informer === undefined) continue;
      for (const { name } of namespace ? selectors : []) {
        const template = name ? informer.get({ namespace, name }) : undefined;
        if (template !== undefined) yield template;
      }
      const wide = selectors.filter(({ name }) => !(name && namespace));
      if (wide.length === 0) continue;
      const isSelected = (template: Template): boolean =>
        wide.length > MOST_COMPARED || bestMatch(wide, template) > 0;
      const all = namespace ? informer.listNamespace(namespace) : informer.list();
      for (const template of all) if (isSelected(template)) yield template;
    }
  }
}
