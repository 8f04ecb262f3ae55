import { reservedMemory } from '../hardware/allocatable';
import type { NodeSpec } from '../hardware/node-spec';
import type { Room, Surge } from './plan-types';
import { roundDown, MEBI } from './units';

/** What is left of a node, and the most that could be left if the kernel shows all of its memory. */
export function roomOf(node: NodeSpec, systemPods: Room): { free: Room; memoryAtMost: number } {
  const { allocatable } = node;
  const free = {
    cpuMillis: Math.max(0, allocatable.cpuMillis - systemPods.cpuMillis),
    memoryBytes: Math.max(0, allocatable.memory - systemPods.memoryBytes),
    pods: Math.max(0, allocatable.pods - systemPods.pods),
  };
  const atMost = node.memory - reservedMemory(allocatable.pods) - systemPods.memoryBytes;
  return { free, memoryAtMost: Math.max(free.memoryBytes, roundDown(Math.max(0, atMost), MEBI)) };
}

/** Pods of such a size that fit into a room by what they request. */
export function podsThatFit(room: Room, pod: { readonly cpuMillis: number; readonly memoryBytes: number }): number {
  return Math.min(
    room.pods,
    Math.floor(room.cpuMillis / pod.cpuMillis),
    Math.floor(room.memoryBytes / pod.memoryBytes),
  );
}

/** The scheduler's words for a pod that finds no node. Resources are named first; anti-affinity only where they suffice. */
export function pendingReason(nodes: number, free: Room, pod: { cpuMillis: number; memoryBytes: number }): string {
  const lacking = [
    ...(free.cpuMillis < pod.cpuMillis ? [`${nodes} Insufficient cpu`] : []),
    ...(free.memoryBytes < pod.memoryBytes ? [`${nodes} Insufficient memory`] : []),
    ...(free.pods < 1 ? [`${nodes} Too many pods`] : []),
  ];
  const reason = lacking.length > 0 ? lacking.join(', ') : `${nodes} node(s) didn't match pod anti-affinity rules`;
  return `0/${nodes} nodes are available: ${reason}.`;
}

/** What a rollout with one more group than before needs: each of its pods a node of its own. */
export function surge(
  pods: number,
  replicas: number,
  free: Room,
  pod: { readonly cpuMillis: number; readonly memoryBytes: number },
  gpus = false,
): Surge {
  const nodes = pods * replicas;
  const left = {
    cpuMillis: free.cpuMillis - pod.cpuMillis,
    memoryBytes: free.memoryBytes - pod.memoryBytes,
    pods: free.pods - 1,
  };
  // A pod of a group takes all GPUs of its node.
  const pending = gpus
    ? `0/${nodes} nodes are available: ${nodes} Insufficient nvidia.com/gpu.`
    : pendingReason(nodes, left, pod);
  return { nodes, nodesDuringRollout: nodes + pods, pendingReason: pending };
}
