import { availableParallelism, loadavg } from 'node:os';

/** The date and the machine of measurements that begin now. */
export const machineNow = () => {
  const [load = 0] = loadavg();
  return {
    machine: `a ${process.platform} machine (${process.arch}) with ${availableParallelism()} cores, Node ${process.versions.node}, a load of ${load.toFixed(1)} as it began`,
    date: new Date().toISOString().slice(0, 10),
  };
};
