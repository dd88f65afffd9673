#!/usr/bin/env python3
"""Holds rendered manifests to the schemas of Kubernetes and to the house's policy; prints every breach.

    policy.py OVERLAY FILE KUBERNETES_VERSION

What Kubernetes itself defines must fit its schema strictly. Of the operators' kinds only those named here may appear.
"""
import json
import pathlib
import sys

import kubernetes_validate
import yaml

CUSTOM = {
    "postgresql.cnpg.io/v1": {"Cluster", "Database", "ScheduledBackup"},
    "barmancloud.cnpg.io/v1": {"ObjectStore"},
    "rabbitmq.com/v1beta1": {"RabbitmqCluster", "Vhost", "User", "Permission", "TopicPermission", "Policy"},
    "external-secrets.io/v1": {"ExternalSecret"},
    "monitoring.coreos.com/v1": {"PodMonitor", "PrometheusRule"},
}
# Who calls whom, as ARCHITECTURE.md draws it.
CALLS = {
    "gateway": {"auth", "wallet", "trade", "payment-method", "mailer"},
    "wallet": {"auth", "payment-method"},
    "trade": {"auth", "wallet"},
    "payment-method": {"auth"},
    "mailer": {"auth"},
    "auth": set(),
}
OBSERVABILITY = pathlib.Path(__file__).parent.parent / "observability"
DATABASES = {"auth", "wallet", "trade", "payment-method", "mailer"}

breaches = []


def breach(thing, text):
    meta = thing.get("metadata", {})
    breaches.append(f"{thing.get('kind')}/{meta.get('name')}: {text}")


def require(condition, thing, text):
    if not condition:
        breach(thing, text)


def valid(thing, version):
    if thing["apiVersion"] in CUSTOM:
        require(thing["kind"] in CUSTOM[thing["apiVersion"]], thing, "is of an unexpected kind")
        return
    try:
        kubernetes_validate.validate(thing, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        breach(thing, f"{'.'.join(map(str, error.path))}: {error.message}")


def pod_of(thing):
    spec = thing.get("spec", {})
    if thing["kind"] == "CronJob":
        return spec["jobTemplate"]["spec"]["template"]
    if thing["kind"] in ("Deployment", "StatefulSet", "Job"):
        return spec["template"]
    return None


def restricted(thing, pod):
    """Pod Security "restricted", and what the house asks beyond it."""
    spec = pod["spec"]
    context = spec.get("securityContext", {})
    require(context.get("runAsNonRoot") is True and context.get("runAsUser"), thing, "must name a user that is not root")
    require(context.get("seccompProfile", {}).get("type") == "RuntimeDefault", thing, "needs the seccomp profile")
    require(spec.get("automountServiceAccountToken") is False, thing, "must not hold a token of the API server")
    require(not any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")), thing, "must not share the host's")
    for volume in spec.get("volumes", []):
        require("hostPath" not in volume, thing, f"volume {volume['name']} is the host's")
    for container in spec.get("initContainers", []) + spec["containers"]:
        own = container.get("securityContext", {})
        name = container["name"]
        require(own.get("allowPrivilegeEscalation") is False, thing, f"{name} may escalate")
        require(own.get("capabilities", {}).get("drop") == ["ALL"], thing, f"{name} keeps capabilities")
        require(not own.get("privileged"), thing, f"{name} is privileged")
        if thing["kind"] != "StatefulSet":
            require(own.get("readOnlyRootFilesystem") is True, thing, f"{name} may write to its image")
        resources = container.get("resources", {})
        require({"cpu", "memory"} <= resources.get("requests", {}).keys(), thing, f"{name} asks for nothing")
        require("memory" in resources.get("limits", {}), thing, f"{name} has no limit of memory")
        image = container["image"]
        require(":" in image.rsplit("/", 1)[-1] and not image.endswith(":latest"), thing, f"{image} names no version")
        for variable in container.get("env", []):
            secret = any(word in variable["name"] for word in ("PASSWORD", "SECRET", "TOKEN", "DATABASE_URL", "AMQP_URL"))
            literal = "value" in variable and not variable["name"].endswith("_FILE")
            require(not (secret and literal), thing, f"{variable['name']} stands in the clear")


def deployed(thing, names):
    """A service: probes, an end without loss, its budget, its scale, its account."""
    name, spec = thing["metadata"]["name"], thing["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    for probe, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
        require(container.get(probe, {}).get("httpGet", {}).get("path") == path, thing, f"{probe} must ask {path}")
    require("preStop" in container.get("lifecycle", {}), thing, "ends before others stop calling it")
    require(pod.get("terminationGracePeriodSeconds", 0) >= 20, thing, "has no time to drain")
    require(spec.get("strategy", {}).get("rollingUpdate", {}).get("maxUnavailable") == 0, thing, "gives up a pod before the new one serves")
    require("replicas" not in spec, thing, "has a number of replicas, which the autoscaler owns")
    require(len(pod.get("topologySpreadConstraints", [])) >= 2, thing, "is not spread over zones and nodes")
    for kind in ("PodDisruptionBudget", "HorizontalPodAutoscaler", "ServiceAccount"):
        require((kind, name) in names, thing, f"has no {kind}")
    require(pod.get("serviceAccountName") == name, thing, "must run under its own account")
    # A generated name ends in a hash.
    for volume in pod.get("volumes", []):
        secret = volume.get("secret", {}).get("secretName", "")
        own = any(secret == kind or secret.startswith(f"{kind}-") for kind in (f"{name}-keys", "trusted-keys"))
        require(not secret or own, thing, f"sees the secret {secret}")
    for source in container.get("envFrom", []):
        secret = source.get("secretRef", {}).get("name", f"{name}-environment")
        require(secret.startswith(f"{name}-environment"), thing, f"sees the secret {secret}")


def peers(rule, key):
    for peer in rule.get(key, []):
        selector = peer.get("podSelector", {})
        yield from (v for v in selector.get("matchLabels", {}).items())
        for expression in selector.get("matchExpressions", []):
            yield from ((expression["key"], value) for value in expression["values"])


def selected(policy):
    selector = policy["spec"]["podSelector"]
    names = {selector.get("matchLabels", {}).get("app.kubernetes.io/name")}
    for expression in selector.get("matchExpressions", []):
        names |= set(expression["values"])
    return names


def arrows(policies):
    """The allowed calls are exactly those of the architecture, seen from both ends."""
    denied = [p for p in policies if p["spec"]["podSelector"] == {} and not p["spec"].get("ingress")
              and not p["spec"].get("egress") and set(p["spec"]["policyTypes"]) == {"Ingress", "Egress"}]
    if len(denied) != 1:
        breaches.append("NetworkPolicy: there must be one default-deny for both directions")
    wanted = {(caller, callee) for caller, callees in CALLS.items() for callee in callees}
    for key, direction in (("to", "egress"), ("from", "ingress")):
        seen, databases = set(), set()
        for policy in policies:
            for rule in policy["spec"].get(direction, []):
                ports = {port["port"] for port in rule.get("ports", [])}
                if not ports:
                    breach(policy, "opens every port")
                for other in selected(policy):
                    for label, value in peers(rule, key):
                        if 50051 in ports and label == "app.kubernetes.io/name":
                            seen.add((other, value) if key == "to" else (value, other))
                        if 5432 in ports and key == "to" and label == "cnpg.io/cluster" and other:
                            databases.add(other)
        if seen != wanted:
            breaches.append(f"NetworkPolicy {direction}: not exactly the architecture's arrows: {sorted(seen ^ wanted)}")
        allowed = DATABASES | {f"{name}-migrate" for name in DATABASES} | {"audit"}
        if key == "to" and databases != allowed:
            breaches.append(f"NetworkPolicy: not exactly the services with a database: {sorted(databases ^ allowed)}")


def same_rules(things):
    """Alerts are the same with and without the operator, and each has its entry in the runbook."""
    here = [thing["spec"]["groups"] for thing in things if thing["kind"] == "PrometheusRule"]
    there = []
    for path in sorted(OBSERVABILITY.glob("rules/*.yaml")):
        there.append(yaml.safe_load(path.read_text(encoding="utf-8"))["groups"])
    canonical = lambda rules: sorted(json.dumps(groups, sort_keys=True) for groups in rules)
    if canonical(here) != canonical(there):
        breaches.append("PrometheusRule: not the rules of deploy/observability/rules")
    entries = (OBSERVABILITY / "RUNBOOK.md").read_text(encoding="utf-8").splitlines()
    for group in [group for groups in there for group in groups]:
        for rule in group["rules"]:
            if "alert" in rule and f"### {rule['alert']}" not in entries:
                breaches.append(f"alert {rule['alert']} has no entry in the runbook")


def main():
    overlay, path, version = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        things = [thing for thing in yaml.safe_load_all(file) if thing]
    names = {(thing["kind"], thing["metadata"]["name"]) for thing in things}
    for thing in things:
        valid(thing, version)
        pod = pod_of(thing)
        if pod:
            restricted(thing, pod)
        if thing["kind"] == "Deployment":
            deployed(thing, names)
        if thing["kind"] == "Namespace":
            level = thing["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
            require(level == "restricted", thing, "does not enforce Pod Security")
        elif thing["metadata"].get("namespace") != "solvane":
            breach(thing, "is outside the namespace")
        if overlay == "production":
            require(thing["kind"] != "Secret", thing, "is a secret in a manifest")
            if thing["kind"] == "Ingress":
                require(thing["spec"].get("tls"), thing, "serves without TLS")
            if thing["kind"] == "Cluster":
                require(thing["spec"]["instances"] >= 3, thing, "has too few instances")
            if thing["kind"] == "RabbitmqCluster":
                require(thing["spec"]["replicas"] >= 3, thing, "has too few nodes")
    deployments = {name for kind, name in names if kind == "Deployment"}
    if deployments != CALLS.keys():
        breaches.append(f"the deployments are {sorted(deployments)}")
    jobs = {name for kind, name in names if kind == "Job"}
    if jobs != {f"{name}-migrate" for name in DATABASES}:
        breaches.append(f"the migrations are {sorted(jobs)}")
    if overlay == "production":
        same_rules(things)
        arrows([thing for thing in things if thing["kind"] == "NetworkPolicy"])
    for text in breaches:
        print(f"{overlay}: {text}")
    print(f"{overlay}: {len(things)} objects, {len(breaches)} breaches")
    sys.exit(1 if breaches else 0)


main()
