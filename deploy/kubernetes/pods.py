#!/usr/bin/env python3
"""Makes of a rendered overlay what `podman kube play` can start, without a cluster.

    pods.py RENDERED FOLDER

Writes a file for each workload, FOLDER/PHASE-NAME.yaml (1 servers, 2 migrations, 3 processes): its pod, with the environment that
ConfigMaps and Secrets have for it. FOLDER/volumes has the contents of its volumes, owned as a kubelet leaves them, because podman
knows no fsGroup. FOLDER/NAME.ready is the readiness probe of a pod (`http PORT PATH`, `tcp PORT`, or `exec CONTAINER`
and an argument a line), FOLDER/NAME.after in the same form what runs after its start, and FOLDER/NAME.address its place in SUBNET, where
the pods find each other by the names of the Services.
Fails if something refers to a ConfigMap, a Secret or a volume that is not there, or a Service to a pod or port.
"""
import base64
import os
import pathlib
import re
import sys

import yaml

SUBNET = "10.213.77"
PHASES = {"StatefulSet": 1, "Job": 2, "Deployment": 3}
# Probes are asked from outside, since the images have nothing to ask with; podman would publish the ports on the machine.
LEFT_OUT = ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "imagePullPolicy", "ports")
FIELDS_OF_POD = ("initContainers", "containers", "securityContext", "terminationGracePeriodSeconds", "enableServiceLinks")


def contents(document):
    """File names and bytes of a ConfigMap or Secret."""
    decode = base64.b64decode if document["kind"] == "Secret" else str.encode
    return {name: decode(text) for name, text in document.get("data", {}).items()}


class Overlay:
    def __init__(self, rendered, folder):
        documents = [document for document in yaml.safe_load_all(rendered.read_text()) if document]
        self.workloads = [one for one in documents if one["kind"] in PHASES]
        self.settings = {(one["kind"], one["metadata"]["name"]): one for one in documents if one["kind"] in ("ConfigMap", "Secret")}
        self.folder = folder
        self.addresses = {one["metadata"]["name"]: f"{SUBNET}.{10 + place}" for place, one in enumerate(self.workloads)}
        self.names = [self.alias(one) for one in documents if one["kind"] == "Service"]

    def alias(self, service):
        """The name of a Service, for the address of its pod."""
        name, selector = service["metadata"]["name"], service["spec"]["selector"].items()
        for workload in self.workloads:
            template = workload["spec"]["template"]
            if selector <= template["metadata"]["labels"].items():
                ports = [port for container in template["spec"]["containers"] for port in container.get("ports", [])]
                for port in service["spec"]["ports"]:
                    target = port.get("targetPort", port["port"])
                    if not any(target in (one.get("name"), one["containerPort"]) and one["containerPort"] == port["port"] for one in ports):
                        sys.exit(f"service {name}: no pod listens on {port}")
                return {"hostnames": [name], "ip": self.addresses[workload["metadata"]["name"]]}
        sys.exit(f"service {name}: selects no pod")

    def write_volume(self, workload, volume, group):
        """Returns the folder of a volume."""
        folder = self.folder / "volumes" / workload / volume["name"]
        folder.mkdir(parents=True)
        source = volume.get("secret") or volume.get("configMap")
        if source is not None:
            kind, name = ("Secret", source["secretName"]) if "secret" in volume else ("ConfigMap", source["name"])
            texts = contents(self.settings[kind, name])
            items = source.get("items") or [{"key": key, "path": key} for key in texts]
            for item in items:
                file = folder / item["path"]
                file.write_bytes(texts[item["key"]])
                os.chown(file, 0, group)
                # With a group, it can always read.
                file.chmod(source.get("defaultMode", 0o644) | 0o440)
            folder.chmod(0o755)
        elif not {"emptyDir", "persistentVolumeClaim"} & volume.keys():
            sys.exit(f"{workload}: no kubelet of its own for the volume {volume}")
        else:
            os.chown(folder, 0, group)
            folder.chmod(0o2777)
        return folder

    def write(self, workload):
        kind, name, spec = workload["kind"], workload["metadata"]["name"], workload["spec"]
        template = spec["template"]
        pod = {field: template["spec"][field] for field in FIELDS_OF_POD if field in template["spec"]}
        claims = [{"name": one["metadata"]["name"], "persistentVolumeClaim": {}} for one in spec.get("volumeClaimTemplates", [])]
        group = pod["securityContext"]["fsGroup"]
        volumes = {one["name"]: self.write_volume(name, one, group) for one in template["spec"].get("volumes", []) + claims}
        pod["restartPolicy"] = "Never" if kind == "Job" else "Always"
        pod["volumes"], pod["hostAliases"] = [], self.names
        (self.folder / f"{name}.address").write_text(self.addresses[name])
        for container in pod.get("initContainers", []) + pod["containers"]:
            self.write_probes(name, container)
            for field in LEFT_OUT:
                container.pop(field, None)
            container["env"] = self.environment(container)
            values = {one["name"]: one["value"] for one in container["env"]}
            for field in ("command", "args"):
                if field in container:
                    container[field] = [re.sub(r"\$\((\w+)\)", lambda name: values[name[1]], text) for text in container[field]]
            for mount in container.get("volumeMounts", []):
                path = volumes[mount["name"]] / mount.pop("subPath", "")
                mount["name"] = str(path.relative_to(self.folder / "volumes" / name)).replace("/", "-").replace(".", "-")
                host = {"name": mount["name"], "hostPath": {"path": str(path), "type": "Directory" if path.is_dir() else "File"}}
                if host not in pod["volumes"]:
                    pod["volumes"].append(host)
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": pod}
        (self.folder / f"{PHASES[kind]}-{name}.yaml").write_text(yaml.safe_dump(document))

    def environment(self, container):
        """The variables of a container: its own come after those of ConfigMaps and Secrets."""
        values = {}
        for source in container.pop("envFrom", []):
            for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                if field in source:
                    values |= contents(self.settings[kind, source[field]["name"]])
        return [{"name": name, "value": value.decode()} for name, value in values.items()] + container.get("env", [])

    def write_probes(self, workload, container):
        ports = {one["name"]: one["containerPort"] for one in container.get("ports", [])}
        after = container.get("lifecycle", {}).get("postStart")
        for ending, probe in (("ready", container.get("readinessProbe")), ("after", after)):
            if probe is None:
                continue
            if "exec" in probe:
                lines = [f"exec {container['name']}", *probe["exec"]["command"]]
            else:
                how = "httpGet" if "httpGet" in probe else "tcpSocket"
                port = ports.get(probe[how]["port"], probe[how]["port"])
                lines = [f"http {port} {probe[how]['path']}" if how == "httpGet" else f"tcp {port}"]
            (self.folder / f"{workload}.{ending}").write_text("".join(f"{line}\n" for line in lines))


def main():
    rendered, folder = map(pathlib.Path, sys.argv[1:])
    overlay = Overlay(rendered, folder.resolve())
    for workload in overlay.workloads:
        overlay.write(workload)


main()
