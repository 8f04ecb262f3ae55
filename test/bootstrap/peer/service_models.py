"""Prints the parts of AWS' service models that the given calls need, as JSON: service_models.py eks.CreateCluster ec2.CreateTags ...

The models are those of the installed botocore. Documentation is left out; nothing of them is kept in the repository."""

import gzip
import json
import os
import sys

import botocore

VERSIONS = {"eks": "2017-11-01", "ec2": "2016-11-15", "iam": "2010-05-08", "sts": "2011-06-15"}


def without_prose(value):
    if isinstance(value, dict):
        return {key: without_prose(inner) for key, inner in value.items() if key not in ("documentation", "documentationUrl")}
    if isinstance(value, list):
        return [without_prose(inner) for inner in value]
    return value


def part(service, names):
    path = os.path.join(os.path.dirname(botocore.__file__), "data", service, VERSIONS[service], "service-2.json.gz")
    with gzip.open(path) as file:
        model = without_prose(json.load(file))
    operations = {name: model["operations"][name] for name in names}
    needed = [
        shape["shape"]
        for operation in operations.values()
        for shape in [operation.get("input"), operation.get("output"), *operation.get("errors", [])]
        if shape
    ]
    shapes = {}
    while needed:
        name = needed.pop()
        if name in shapes:
            continue
        shape = shapes[name] = model["shapes"][name]
        needed += [member["shape"] for member in shape.get("members", {}).values()]
        needed += [shape[key]["shape"] for key in ("member", "key", "value") if key in shape]
    return {"protocol": model["metadata"]["protocol"], "operations": operations, "shapes": shapes}


calls = [call.split(".") for call in sys.argv[1:]]
models = {service: part(service, sorted(name for of, name in calls if of == service)) for service in VERSIONS}
json.dump({"botocore": botocore.__version__, "models": models}, sys.stdout)
