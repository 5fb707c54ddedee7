"""Tests which libraries the programs load. SimGrid's library defines MPI_Init too, so SimGrid and an MPI
library must never be loaded in one process."""

import os
import subprocess
import unittest

from launch import TUTTI, TUTTI_MPI, main


def libraries(program):
    return subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout


class Linking(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(TUTTI), "tutti is not built")
    def test_tutti_links_no_mpi(self):
        self.assertNotRegex(libraries(TUTTI), r"libmpi|libmpich|libopen-(rte|pal)")

    def test_tutti_mpi_links_mpi_and_no_simgrid(self):
        self.assertRegex(libraries(TUTTI_MPI), r"libmpi|libmpich")
        self.assertNotIn("simgrid", libraries(TUTTI_MPI))


if __name__ == "__main__":
    main()
