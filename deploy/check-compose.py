#!/usr/bin/env python3
"""Checks docker-compose.yml, its additions in deploy/compose, and the guides that name them; prints every breach.

    deploy/check-compose.py
"""
import ipaddress
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "COMPOSE.md"
GUIDES = [ROOT / "deploy" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SECRETS = "deploy/compose/secrets/"
PROCESSES = [line.split()[0] for line in (ROOT / "services/services.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
# What the operator writes, and no script.
OWN = {"roots.env"}

breaches = []


def require(condition, text):
    if not condition:
        breaches.append(text)


def read(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def together(*names):
    """As compose reads several files, as far as it matters here: lists are added up, other values are the later file's."""
    def join(lower, upper):
        if isinstance(lower, dict) and isinstance(upper, dict):
            return lower | {key: join(lower.get(key), value) for key, value in upper.items()}
        if isinstance(lower, list) and isinstance(upper, list):
            return lower + upper
        return upper

    whole = {}
    for name in names:
        whole = join(whole, read(name))
    return whole


def written(compose, secrets):
    """Every file that is named exists or is generated."""
    named = [file for service in compose["services"].values() for file in service.get("env_file", [])]
    for file in named + [secret["file"] for secret in compose["secrets"].values()]:
        path = secrets / file.removeprefix(SECRETS) if file.startswith(SECRETS) else ROOT / file
        require(path.exists() or path.name in OWN, f"{file} is written by nothing")


def reached(services, secrets):
    """Who has to reach whom, and that the media worker reaches nothing else."""
    def reaches(name, other):
        return bool(set(services[name].get("networks", [])) & set(services[other]["networks"]))

    for name, others in {
        "files-backup": {"store"}, "files-restore": {"store"}, "files-check": {"postgres"}, "course-worker": {"postgres", "store"},
    }.items():
        for other in ("store", "postgres", "rabbitmq", *PROCESSES):
            if other in others:
                require(reaches(name, other), f"{name} does not reach {other}")
            elif name == "course-worker" and other != "gateway":
                require(not reaches(name, other), f"{name} reaches {other}")
    own, worker = services["course-sandbox"], services["course-worker"]
    alone = own["network_mode"] == "none" and not own.get("env_file") and not own.get("secrets") and own["user"] != worker.get("user")
    require(alone, "course-sandbox has a network, a secret or the user of the worker")
    role = (secrets / "course-worker.env").read_text(encoding="utf-8")
    require("postgres://course_worker:" in role, "the media worker has the role of course")


def gigabytes(services, wanted):
    """The limits of memory of some services together."""
    unit = {"m": 1 / 1024, "g": 1}
    return sum(float(service["mem_limit"][:-1]) * unit[service["mem_limit"][-1]] for name, service in services.items() if wanted(name, service))


def remembered(services):
    """The guide names the memory that containers may take together."""
    ends = {"store-bucket", "postgres-files"}
    product = gigabytes(services, lambda name, one: not one.get("profiles") and name not in ends and not name.endswith("-migrate"))
    observers = gigabytes(services, lambda _, one: "observe" in one.get("profiles", []))
    text = f"add up to {product:.1f} GB, and those of the profile `observe` to another {observers:.1f} GB"
    require(text in " ".join(GUIDE.read_text(encoding="utf-8").split()), f"COMPOSE.md does not say that the limits {text}")


def restricted(services):
    """No container gains rights, and only servers whose images begin as root keep capabilities."""
    for name, service in services.items():
        require("no-new-privileges:true" in service.get("security_opt", []), f"{name} may gain privileges")
        require("ALL" in service.get("cap_drop", []) or name in ("postgres", "rabbitmq"), f"{name} keeps capabilities")
        require(service.get("mem_limit") and service.get("pids_limit"), f"{name} has no limit of memory or processes")
        require(service.get("logging") or service.get("restart") == "no", f"{name} fills the disk with its log")


def observed(services):
    """Whatever the collector and Prometheus name is there, in a network of theirs."""
    for reader, name in (("collector", "collector-compose.yaml"), ("prometheus", "prometheus.yaml")):
        text = (ROOT / "deploy/observability" / name).read_text(encoding="utf-8")
        if reader == "collector":
            text += (ROOT / "deploy/observability/targets.yaml").read_text(encoding="utf-8")
        for host in sorted(set(re.findall(r"[\[ /]([a-z][a-z-]+):\d{4,5}\b", text))):
            shared = host in services and set(services[host]["networks"]) & set(services[reader]["networks"])
            require(shared, f"{reader} does not reach {host} ({name})")


def trusted(compose):
    """The gateway trusts Caddy to say where a request comes from, and no container gets Caddy's address by chance."""
    plain = lambda text: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)
    address = ipaddress.ip_address(plain(compose["services"]["caddy"]["networks"]["front"]["ipv4_address"]))
    proxies = ipaddress.ip_network(plain(compose["services"]["gateway"]["environment"]["TRUSTED_PROXIES"]))
    require(proxies == ipaddress.ip_network(address), f"the gateway trusts {proxies}, and Caddy is {address}")
    place = compose["networks"]["front"]["ipam"]["config"][0]
    require(address in ipaddress.ip_network(plain(place["subnet"])), "Caddy's address is not in its network")
    require(address not in ipaddress.ip_network(plain(place["ip_range"])), "another container may get Caddy's address")


def outside():
    """With a store outside, whoever reads or writes its files has a way out."""
    compose = together("docker-compose.yml", "deploy/compose/outside-store.yaml")
    for name, service in compose["services"].items():
        if "FILES_URL" in (service.get("environment") or {}):
            ways = [network for network in service["networks"] if not (compose["networks"][network] or {}).get("internal")]
            require(ways, f"{name} does not reach a store outside (deploy/compose/outside-store.yaml)")


def built(services):
    """Every image has the version and the revision, is never pulled from a public registry, and stands in the guide."""
    images = {}
    for name, service in services.items():
        if "IMAGE_PREFIX" not in service["image"]:
            continue
        image = re.sub(r"\$\{[^}]*\}/?", "", service["image"]).strip("/:")
        require(service.get("pull_policy") == "${PULL_POLICY:-never}", f"{name} pulls {image} from a registry that is not ours")
        if "build" in service:
            arguments = service["build"].get("args", {})
            require({"VERSION", "REVISION"} <= arguments.keys(), f"the image of {name} does not say its version and revision")
            images[image] = arguments.get("SERVICE", service["build"]["target"])
        else:
            images.setdefault(image, image)
    require(all(image == source for image, source in images.items()), f"an image is built of something else: {images}")
    wanted = set(PROCESSES) | {"course-worker", "audit"}
    require(images.keys() == wanted, f"the images are not exactly those of the product: {sorted(images.keys() ^ wanted)}")
    table = re.search(r"^\| image \|.*\n\|[-| ]+\n((?:\|.*\n)+)", GUIDE.read_text(encoding="utf-8"), re.M)
    shown = {name for row in table[1].splitlines() for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
    require(shown == wanted, f"the table of images in COMPOSE.md lacks or adds {sorted(shown ^ wanted)}")


def versioned():
    """The version stands in Cargo.toml; whatever repeats it agrees, and the changelog knows it."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]
    for name in ("docker-compose.yml", "deploy/docker/Dockerfile", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("deploy/kubernetes/overlays/*/kustomization.yaml"))):
        for found in re.findall(r"\bVERSION(?:=|:-)(\d[\w.]*)", (ROOT / name).read_text(encoding="utf-8")):
            require(found == version, f"{name}: version {found}, but Cargo.toml has {version}")
    require(f"## {version}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), f"CHANGELOG.md has no entry for {version}")


def explained(compose):
    """Every setting of the compose files is in the guide."""
    guide = "\n".join(path.read_text(encoding="utf-8") for path in GUIDES)
    settings = set()
    for path in [ROOT / "docker-compose.yml", *sorted((ROOT / "deploy/compose").glob("*.yaml"))]:
        settings |= set(re.findall(r"\$\{([A-Z0-9_]+)", path.read_text(encoding="utf-8")))
    for service in compose["services"].values():
        settings |= {name for name, value in (service.get("environment") or {}).items() if value is None}
    for name in sorted(settings):
        require(f"`{name}`" in guide or f"`{name}=" in guide, f"{name} is in no guide")


def guided():
    """What the guides say about the files is so."""
    for path in GUIDES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{path.name}:{number}"
            require(not re.search(r"docker (run|volume|network) .*\bsolvane_", line), f"{place}: names a volume or network of docker")
            require("docker compose -f" not in line, f"{place}: -f replaces what COMPOSE_FILE adds")
            restarted = re.match(r"docker compose restart *([a-z -]*)", line)
            if restarted:
                names = set(restarted[1].split())
                require(len(names) == 1 or names == set(PROCESSES), f"{place}: restarts servers too, or not every process")
            for files in re.findall(r"COMPOSE_FILE=([\w./:-]+)", line):
                names = files.split(":")
                for name in names:
                    require((ROOT / name).exists(), f"{place}: there is no {name}")
                if "deploy/compose/two-machines.yaml" in names:
                    require("deploy/compose/outside-store.yaml" in names, f"{place}: two machines need a store outside of both")


    rollback = re.search(r"^docker compose up --detach --no-deps (.*)$", GUIDE.read_text(encoding="utf-8"), re.M)
    own = {*PROCESSES, "course-worker", "course-sandbox"}
    require(rollback and set(rollback[1].split()) == own, f"{GUIDE.name}: a rollback is not of all processes: {sorted(own)}")


def main():
    compose = read("docker-compose.yml")
    require(compose.get("name"), "volumes are named after the folder of the installation")
    with tempfile.TemporaryDirectory() as folder:
        secrets = pathlib.Path(folder) / "secrets"
        subprocess.run([ROOT / "deploy/secrets.sh", secrets], check=True, stdout=subprocess.DEVNULL)
        written(together("docker-compose.yml", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "deploy/compose").glob("*.yaml"))), secrets)
        reached(compose["services"], secrets)
    restricted(compose["services"])
    observed(compose["services"])
    trusted(compose)
    remembered(compose["services"])
    outside()
    built(compose["services"])
    versioned()
    explained(compose)
    guided()
    for text in breaches:
        print(f"compose: {text}")
    print(f"compose: {len(compose['services'])} services, {len(breaches)} breaches")
    sys.exit(1 if breaches else 0)


main()
