#!/usr/bin/env python3
"""Holds rendered manifests to the schemas of Kubernetes and to the house's policy; prints every breach.

    policy.py OVERLAY FILE KUBERNETES_VERSION

What Kubernetes itself defines must fit its schema strictly. Of the operators' kinds only those named here may appear.
"""
import ipaddress
import json
import math
import pathlib
import re
import sys
from urllib.parse import urlsplit

import kubernetes_validate
import yaml

CUSTOM = {
    "cert-manager.io/v1": {"Certificate", "Issuer"},
    "postgresql.cnpg.io/v1": {"Cluster", "Database", "ScheduledBackup"},
    "barmancloud.cnpg.io/v1": {"ObjectStore"},
    "rabbitmq.com/v1beta1": {"RabbitmqCluster"},
    "external-secrets.io/v1": {"ExternalSecret"},
    "gateway.networking.k8s.io/v1": {"Gateway", "HTTPRoute"},
    "monitoring.coreos.com/v1": {"PodMonitor", "PrometheusRule"},
}
# Fields without which an operator's schema refuses the object, where it has what is before the last dot.
NEEDED = {
    "Certificate": ["spec.secretName", "spec.issuerRef.name"],
    "Cluster": ["spec.instances"],
    "Database": ["spec.cluster.name", "spec.name", "spec.owner"],
    "ExternalSecret": ["spec.secretStoreRef.name"],
    "Gateway": ["spec.gatewayClassName", "spec.listeners"],
    "HTTPRoute": ["spec.parentRefs", "spec.hostnames", "spec.rules"],
    "ObjectStore": ["spec.configuration.destinationPath"],
    "PodMonitor": ["spec.selector", "spec.podMetricsEndpoints"],
    "PrometheusRule": ["spec.groups"],
    "RabbitmqCluster": ["spec.override.statefulSet.spec.template.spec.containers"],
    "ScheduledBackup": ["spec.cluster.name", "spec.schedule"],
}
# Who may reach any address outside, at these ports: exchanges and nodes, mail relays and push services, the backend of traces.
ANYWHERE = {"payment-method": {443}, "mailer": {443, 465, 587}, "collector": {443}}
ROOT = pathlib.Path(__file__).parents[2]
# The calls between services, as drawn in ARCHITECTURE.md.
LIST = ROOT / "services" / "services.txt"
LINES = [line.split() for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
CALLS = {name: set(callees) for name, *callees in LINES}
OBSERVABILITY = pathlib.Path(__file__).parent.parent / "observability"
DATABASES = CALLS.keys() - {"gateway"}
# Second processes of a service, which are not called: NAME-worker has the database and the certificate of NAME.
WORKERS = {"course-worker"}
# The container of a worker that reads the files of strangers.
SANDBOX = "sandbox"
NAME = "app.kubernetes.io/name"
# The environment of every service, and the flow of traces and logs.
SERVICE = ("solvane.dev/part", "service")
WORKER = ("solvane.dev/part", "worker")
COLLECTOR = (NAME, "collector")

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
        for path in NEEDED.get(thing["kind"], []):
            *parents, last = path.split(".")
            place = thing
            for parent in parents:
                place = place.get(parent) if isinstance(place, dict) else None
            required = place is None and parents[1:] and parents[1] == "override" or isinstance(place, dict) and last in place
            require(required, thing, f"has no {path}")
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
    disk = [volume for volume in spec.get("volumes", []) if re.fullmatch(r"\d+Gi", str(volume.get("emptyDir", {}).get("sizeLimit")))]
    asked = any("ephemeral-storage" in container.get("resources", {}).get("requests", {}) for container in spec["containers"])
    require(asked or not disk, thing, "fills the disk of a node without a request for it")
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
    # The collector has only one health endpoint.
    alive, ready = ("/", "/") if name == "collector" else ("/healthz", "/readyz")
    for probe, path in (("startupProbe", alive), ("livenessProbe", alive), ("readinessProbe", ready)):
        require(container.get(probe, {}).get("httpGet", {}).get("path") == path, thing, f"{probe} must ask {path}")
    require("preStop" in container.get("lifecycle", {}), thing, "ends before others stop calling it")
    require(pod.get("terminationGracePeriodSeconds", 0) >= 20, thing, "has no time to drain")
    require(spec.get("strategy", {}).get("rollingUpdate", {}).get("maxUnavailable") == 0, thing, "gives up a pod before the new one serves")
    require("replicas" not in spec, thing, "has a number of replicas, which the autoscaler owns")
    require(len(pod.get("topologySpreadConstraints", [])) >= 2, thing, "is not spread over zones and nodes")
    later = name in WORKERS | {"collector"}
    require((pod.get("priorityClassName") == "solvane") != later, thing, "must have the priority of what moves money" if not later else "must give way to what moves money")
    for kind in ("PodDisruptionBudget", "HorizontalPodAutoscaler", "ServiceAccount"):
        require((kind, name) in names, thing, f"has no {kind}")
    require(pod.get("serviceAccountName") == name, thing, "must run under its own account")
    # Generated names end in a hash.
    for volume in pod.get("volumes", []):
        secret = volume.get("secret", {}).get("secretName", "")
        owner = name.removesuffix("-worker")
        own = any(secret == kind or secret.startswith(f"{kind}-") for kind in (f"{name}-keys", f"{owner}-tls", "trusted-keys"))
        require(not secret or own, thing, f"sees the secret {secret}")
    for source in container.get("envFrom", []):
        secret = source.get("secretRef", {}).get("name", f"{name}-environment")
        require(secret.startswith(f"{name}-environment"), thing, f"sees the secret {secret}")


def product(text):
    """Of numbers as the code writes them: 16 * 1024."""
    return math.prod(int(factor) for factor in text.split("*"))


def hashed(thing):
    """Password hashes at work at the same time take at most half the memory, whatever the number of cores of the node."""
    text = (ROOT / "services/auth/src/hasher.rs").read_text(encoding="utf-8")
    each = product(re.search(r"^const MEMORY_KIB: u32 = ([\d *]+);", text, re.M)[1]) / 1024
    most = int(re.search(r"^const MOST_WORKERS: usize = (\d+);", text, re.M)[1])
    limits = thing["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    memory = int(limits["memory"].removesuffix("Mi"))
    require(most * each <= memory / 2, thing, f"{most} passwords are hashed at a time, in {most * each:.0f} of {memory} MiB")


def worked(thing):
    """A media worker: what reads the files of strangers is another user, who has no secret and sees no process of ours."""
    spec = thing["spec"]["template"]["spec"]
    by_name = {container["name"]: container for container in spec["containers"]}
    own = by_name.get(SANDBOX, {})
    user = own.get("securityContext", {}).get("runAsUser")
    require(user and user != spec["securityContext"]["runAsUser"], thing, "has no container with a user of its own for what it reads")
    require(not spec.get("shareProcessNamespace"), thing, "shows its processes to what it reads")
    require(not own.get("envFrom"), thing, f"{SANDBOX} has an environment with secrets")
    secret = {volume["name"] for volume in spec["volumes"] if "secret" in volume}
    require(not secret & {mount["name"] for mount in own.get("volumeMounts", [])}, thing, f"{SANDBOX} sees a secret")


def filled(things, vault):
    """Whatever is read from the vault is written by deploy/vault.sh, or stands in the guide as the operator's own."""
    guide = (ROOT / "docs/KUBERNETES.md").read_text(encoding="utf-8")
    for thing in things:
        for entry in thing["spec"].get("data", []) if thing["kind"] == "ExternalSecret" else []:
            key, name = entry["remoteRef"]["key"], entry["remoteRef"]["property"]
            path = vault / f"{key.removeprefix('solvane/')}.json"
            if path.exists():
                require(json.loads(path.read_text(encoding="utf-8")).get(name), thing, f"reads {name} of {key}, which deploy/vault.sh does not write")
            else:
                row = next((line for line in guide.splitlines() if line.startswith(f"| `{key}` |")), "")
                require(f"`{name}`" in row, thing, f"reads {name} of {key}, which is in no guide")


def verified(things):
    """The audit that runs every hour has the signed roots, and reaches their store."""
    named = {(thing["kind"], thing["metadata"]["name"]): thing for thing in things}
    audit = named["CronJob", "audit"]
    pod = pod_of(audit)["spec"]
    roots = {variable["name"]: variable.get("value") for variable in pod["containers"][0]["env"]}.get("ROOTS")
    mounted = {mount["mountPath"] for container in pod.get("initContainers", []) for mount in container["volumeMounts"]}
    require(roots and roots in mounted, audit, "does not verify that the databases extend the signed roots")
    ways = [named.get(("NetworkPolicy", name), {}).get("spec", {}).get("egress") for name in ("roots-store", "audit-roots-store")]
    require(ways[0] and ways[0] == ways[1], audit, "does not reach the store of roots that services write to")


def followed(things):
    """CloudNativePG reads a new password and a new certificate at once."""
    named = {(thing["kind"], thing["metadata"]["name"]): thing for thing in things}
    cluster = next(thing for thing in things if thing["kind"] == "Cluster")
    for role in cluster["spec"]["managed"]["roles"]:
        secret = named.get(("ExternalSecret", role["passwordSecret"]["name"]), {})
        template = secret.get("spec", {}).get("target", {}).get("template", {})
        require(template.get("metadata", {}).get("labels", {}).get("cnpg.io/reload") == "true", secret or cluster, f"the password of {role['name']} is read late")
    for thing in things:
        if thing["kind"] == "Certificate" and thing["spec"]["secretName"] == cluster["spec"]["certificates"]["serverTLSSecret"]:
            labelled = thing["spec"].get("secretTemplate", {}).get("labels", {}).get("cnpg.io/reload") == "true"
            require(labelled, thing, "PostgreSQL keeps the old certificate")


def kept(cluster):
    """New or restored, the databases are the same: backed up, on two instances, verified, under their one name."""
    spec = cluster["spec"]
    require(cluster["metadata"]["name"] == "postgres", cluster, "is not the one that policies and addresses name")
    require(spec["postgresql"].get("synchronous", {}).get("dataDurability") == "required", cluster, "commits on one instance")
    require(spec.get("certificates"), cluster, "has no certificate that clients can verify")
    archives = [plugin["parameters"] for plugin in spec.get("plugins", []) if plugin.get("isWALArchiver")]
    require(len(archives) == 1, cluster, "does not archive its log")
    if "recovery" in spec["bootstrap"]:
        origins = {one["name"]: one["plugin"]["parameters"] for one in spec.get("externalClusters", [])}
        origin = origins.get(spec["bootstrap"]["recovery"]["source"])
        require(origin, cluster, "is restored from nowhere")
        require(archives != [origin], cluster, "writes over the backups that it is restored from")
        require("initdb" not in spec["bootstrap"], cluster, "is both new and restored")


def labels(selector):
    """What a selector of pods asks for; none stands for every pod."""
    pairs = set((selector or {}).get("matchLabels", {}).items())
    for expression in (selector or {}).get("matchExpressions", []):
        # Without some of them is still with the others.
        if expression["operator"] == "In":
            pairs |= {(expression["key"], value) for value in expression["values"]}
    return pairs or {None}


def opened(policies, direction, port):
    """Between whom the policies of one direction open the port: caller and callee."""
    key = {"egress": "to", "ingress": "from"}[direction]
    pairs = set()
    for policy in policies:
        for rule in policy["spec"].get(direction, []):
            if port not in {entry["port"] for entry in rule.get("ports", [])}:
                continue
            for own in labels(policy["spec"]["podSelector"]):
                for other in set().union(*(labels(peer.get("podSelector")) for peer in rule.get(key) or [{}])):
                    pairs.add((own, other) if key == "to" else (other, own))
    return pairs


def arrows(policies):
    """The allowed calls are exactly those of the architecture, seen from both ends."""
    denied = [p for p in policies if p["spec"]["podSelector"] == {} and not p["spec"].get("ingress")
              and not p["spec"].get("egress") and set(p["spec"]["policyTypes"]) == {"Ingress", "Egress"}]
    if len(denied) != 1:
        breaches.append("NetworkPolicy: there must be one default-deny for both directions")
    wanted = {
        50051: {((NAME, caller), (NAME, callee)) for caller, callees in CALLS.items() for callee in callees},
        4317: {(SERVICE, COLLECTOR), (WORKER, COLLECTOR)},
        5671: {(SERVICE, (NAME, "rabbitmq"))},
        4319: {(COLLECTOR, COLLECTOR)},
    }
    for direction in ("egress", "ingress"):
        for policy in policies:
            for rule in policy["spec"].get(direction, []):
                require(rule.get("ports"), policy, "opens every port")
                reaches_only(policy, rule)
        for port, pairs in wanted.items():
            odd = sorted(opened(policies, direction, port) ^ pairs, key=str)
            if odd:
                breaches.append(f"NetworkPolicy {direction} {port}: not exactly the architecture's arrows: {odd}")
    databases = {own[1] for own, other in opened(policies, "egress", 5432)
                 if other == ("cnpg.io/cluster", "postgres") and own != other}
    allowed = DATABASES | {f"{name}-migrate" for name in DATABASES} | WORKERS | {"audit"}
    if databases != allowed:
        breaches.append(f"NetworkPolicy: not exactly the services with a database: {sorted(databases ^ allowed)}")


def reaches_only(policy, rule):
    """A block of addresses is one place, not the whole network, except for those who ask many."""
    wide = any(ipaddress.ip_network(peer["ipBlock"]["cidr"]).prefixlen < 16 for peer in rule.get("to", []) if "ipBlock" in peer)
    ports = {entry["port"] for entry in rule["ports"]}
    for key, name in labels(policy["spec"]["podSelector"]) if wide else []:
        require(key == NAME and ports <= ANYWHERE.get(name, set()), policy, f"lets {name} reach any address at {sorted(ports)}")


def fields(thing, *names):
    """The values of all fields with these names, at any depth."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key in names:
                yield value
            yield from fields(value, *names)
    elif isinstance(thing, list):
        for value in thing:
            yield from fields(value, *names)


def secrets(things):
    """Each secret has one writer and whoever reads one finds it; addresses in them are those of servers that are verified."""
    written, read = [], set()
    for thing in things:
        kind, name = thing["kind"], thing["metadata"]["name"]
        if kind == "ExternalSecret":
            written.append(thing["spec"].get("target", {}).get("name", name))
            for variable, value in thing["spec"].get("target", {}).get("template", {}).get("data", {}).items():
                if value.startswith("amqp"):
                    require(re.match(r"amqps://[^/]*@rabbitmq:5671/", value), thing, f"{variable} is not amqps at 5671")
                if value.startswith("postgres"):
                    require("sslmode=verify-full" in value, thing, f"{variable} does not verify the server")
        elif kind == "Certificate":
            written.append(thing["spec"]["secretName"])
        elif kind == "Gateway":
            names = [one["name"] for refs in fields(thing, "certificateRefs") for one in refs]
            read |= set(names)
            if "cert-manager.io/cluster-issuer" in thing["metadata"].get("annotations", {}):
                written += names
        else:
            read |= set(fields(thing, "secretName", "serverTLSSecret", "serverCASecret"))
            read |= {value["name"] for value in fields(thing, "secretRef", "secretKeyRef", "passwordSecret", "accessKeyId", "secretAccessKey")}
    for name in sorted({name for name in written if written.count(name) > 1}):
        breaches.append(f"Secret/{name}: has {written.count(name)} writers")
    for name in sorted(read - set(written)):
        breaches.append(f"Secret/{name}: is read, and nobody writes it")
    worker = next(thing for thing in things if (thing["kind"], thing["metadata"]["name"]) == ("ExternalSecret", "course-worker-environment"))
    data = worker["spec"]["target"]["template"]["data"]
    require("AMQP_URL" not in data, worker, "gives the media worker an account at the broker")
    require(data["DATABASE_URL"].startswith("postgres://course_worker:"), worker, "gives the media worker the role of course")


def placed(things):
    """What the operator changes stands in the overlay, in marked lines, and reaches every object."""
    for path in sorted(pathlib.Path(__file__).parent.rglob("*.yaml")):
        marked = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.lstrip().startswith("# yours"):
                marked = True
            elif not line.strip().startswith(("- ", "#")):
                marked = False
            if "example.com" in line and not marked and not line.lstrip().startswith("#"):
                breaches.append(f"{path.name}:{number}: not in a line marked as yours")
    environment = next(thing["data"] for thing in things if thing["kind"] == "ConfigMap" and "PUBLIC_URL" in thing["data"])
    host = urlsplit(environment["PUBLIC_URL"]).hostname
    entered(things, host)
    for network in environment["TRUSTED_PROXIES"].split(","):
        if ipaddress.ip_network(network).prefixlen < 24:
            breaches.append(f"TRUSTED_PROXIES: {network} is more than the entrance's proxies")


def entered(things, host):
    """Members come in by https at the public host alone; what is sent in the clear reaches no process."""
    ports = {(thing["metadata"]["name"], entry["port"]) for thing in things if thing["kind"] == "Service" for entry in thing["spec"]["ports"]}
    encrypted, found = {}, set()
    for thing in things:
        for listener in thing["spec"]["listeners"] if thing["kind"] == "Gateway" else []:
            encrypted[thing["metadata"]["name"], listener["name"]] = listener["protocol"] == "HTTPS"
            require(listener.get("hostname") == host, thing, f"listens for {listener.get('hostname')} instead of {host}")
            ends = listener.get("tls", {}).get("mode") == "Terminate" and listener["tls"].get("certificateRefs")
            require(ends or listener["protocol"] == "HTTP", thing, f"{listener['name']} has no certificate")
            require(listener["allowedRoutes"]["namespaces"]["from"] == "Same", thing, "takes routes of other namespaces")
    for thing in things:
        if thing["kind"] != "HTTPRoute":
            continue
        require(thing["spec"]["hostnames"] == [host], thing, f"serves {thing['spec']['hostnames']} instead of {host}")
        parents = [(parent["name"], parent.get("sectionName")) for parent in thing["spec"]["parentRefs"]]
        require(all(parent in encrypted for parent in parents), thing, f"belongs to no listener: {parents}")
        for rule in thing["spec"]["rules"]:
            backends = {(backend["name"], backend["port"]) for backend in rule.get("backendRefs", [])}
            require(backends <= ports, thing, f"leads to {sorted(backends - ports)}, which is no service")
            require(not backends or all(encrypted.get(parent) for parent in parents), thing, "passes on what came in the clear")
            require(not backends or rule.get("timeouts", {}).get("request") == "0s", thing, "cuts live updates and uploads off")
            redirected = any(one["type"] == "RequestRedirect" for one in rule.get("filters", []))
            api = any(match["path"]["value"].startswith("/v1") for match in rule["matches"])
            require(not (redirected and api), thing, "hides from a client of the API that it speaks in the clear")
            found |= backends
    if found != {("gateway", 8080)}:
        breaches.append(f"HTTPRoute: members reach {sorted(found)}")
    part = re.search(r"^const CHUNK_BYTES = ([\d *]+)$", (ROOT / "web/src/features/admin-course/uploads.ts").read_text(encoding="utf-8"), re.M)
    for guide in ("COMPOSE.md", "KUBERNETES.md"):
        allowed = re.search(r"bodies of (\d+)\s+MiB", (ROOT / "docs" / guide).read_text(encoding="utf-8"))
        if not allowed or int(allowed[1]) * 2**20 <= product(part[1]):
            breaches.append(f"{guide}: has proxies refuse the parts of videos, of {product(part[1])} bytes")


def laid_over(lower, upper):
    """As the collector reads several files: what is named in both is the later one's."""
    if not (isinstance(lower, dict) and isinstance(upper, dict)):
        return upper
    return lower | {key: laid_over(lower.get(key, {}), value) for key, value in upper.items()}


def wired(place, files):
    """The collector's settings name nothing that is not there, and nothing personal leaves."""
    settings = {}
    for text in files:
        settings = laid_over(settings, yaml.safe_load(text))
    for name, pipeline in settings["service"]["pipelines"].items():
        for kind in ("receivers", "processors", "exporters"):
            missing = set(pipeline.get(kind, [])) - settings[kind].keys()
            if missing or not pipeline.get(kind):
                breaches.append(f"collector {place}: {name} has no {kind} {sorted(missing)}")
        leaves = set(pipeline.get("exporters", [])) - {"loadbalancing"}
        if leaves and not name.startswith("metrics") and "attributes/personal" not in pipeline["processors"]:
            breaches.append(f"collector {place}: {name} takes nothing personal out")
    missing = set(settings["service"]["extensions"]) - settings["extensions"].keys()
    if missing:
        breaches.append(f"collector {place}: has no {sorted(missing)}")


def collected(things):
    """Every service knows the collector, and the collector what to do, on one machine too."""
    named = {(thing["kind"], thing["metadata"]["name"]): thing for thing in things}
    if ("Deployment", "collector") not in named:
        return
    for thing in things:
        if thing["kind"] != "Deployment" or not {SERVICE, WORKER} & thing["spec"]["template"]["metadata"]["labels"].items():
            continue
        settings = {}
        for source in thing["spec"]["template"]["spec"]["containers"][0]["envFrom"]:
            settings |= named.get(("ConfigMap", source.get("configMapRef", {}).get("name")), {}).get("data", {})
        endpoint = settings.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        require(endpoint == "http://collector:4317", thing, f"sends its traces and logs to {endpoint}")
    pod = named["Deployment", "collector"]["spec"]["template"]["spec"]
    files = named["ConfigMap", pod["volumes"][0]["configMap"]["name"]]["data"]
    wired("of the cluster", [files[argument.rsplit("/", 1)[-1]] for argument in pod["containers"][0]["args"]])
    here = [OBSERVABILITY / name for name in ("collector.yaml", "collector-compose.yaml")]
    wired("of one machine", [path.read_text(encoding="utf-8") for path in here])


def same_rules(things):
    """Alerts are the same with and without the operator, and each has its entry in the runbook."""
    here = [thing["spec"]["groups"] for thing in things if thing["kind"] == "PrometheusRule"]
    there = []
    for path in sorted(OBSERVABILITY.glob("rules/*.yaml")):
        there.append(yaml.safe_load(path.read_text(encoding="utf-8"))["groups"])
    canonical = lambda rules: sorted(json.dumps(groups, sort_keys=True) for groups in rules)
    if canonical(here) != canonical(there):
        breaches.append("PrometheusRule: not the rules of deploy/observability/rules (make rules)")
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
            if thing["metadata"]["name"] == "auth":
                hashed(thing)
            if thing["metadata"]["name"] in WORKERS:
                worked(thing)
        if thing["kind"] == "Namespace":
            level = thing["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
            require(level == "restricted", thing, "does not enforce Pod Security")
        elif thing["kind"] != "PriorityClass" and thing["metadata"].get("namespace") != "solvane":
            breach(thing, "is outside the namespace")
        if overlay == "production":
            require(thing["kind"] != "Secret", thing, "is a secret in a manifest")
            if thing["kind"] == "Cluster":
                require(thing["spec"]["instances"] >= 3, thing, "has too few instances")
                require(thing["spec"].get("priorityClassName") == "solvane", thing, "gives way to other pods")
                kept(thing)
            if thing["kind"] == "RabbitmqCluster":
                require(thing["spec"]["replicas"] >= 3, thing, "has too few nodes")
                own = thing["spec"]["override"]["statefulSet"]["spec"]["template"]["spec"]
                require(own.get("priorityClassName") == "solvane", thing, "gives way to other pods")
    deployments = {name for kind, name in names if kind == "Deployment"}
    if deployments != CALLS.keys() | WORKERS | ({"collector"} if overlay == "production" else set()):
        breaches.append(f"the deployments are {sorted(deployments)}")
    jobs = {name for kind, name in names if kind == "Job"}
    if jobs != {f"{name}-migrate" for name in DATABASES}:
        breaches.append(f"the migrations are {sorted(jobs)}")
    if overlay == "production":
        same_rules(things)
        collected(things)
        secrets(things)
        verified(things)
        followed(things)
        filled(things, pathlib.Path(path).parent / "vault")
        placed(things)
        arrows([thing for thing in things if thing["kind"] == "NetworkPolicy"])
    for text in breaches:
        print(f"{overlay}: {text}")
    print(f"{overlay}: {len(things)} objects, {len(breaches)} breaches")
    sys.exit(1 if breaches else 0)


main()
