# Copyright (c) 2026, the tutti authors
# SPDX-License-Identifier: BSD-3-Clause

import os

from spack.package import *


class Tutti(CMakePackage):
    """Discrete-event simulator for schedules of collective communication."""

    # The recipe is part of the sources that it builds.
    homepage = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))
    git = homepage

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("simgrid", default=True, description="Engine simgrid, and arbitrary SimGrid platforms")
    variant("mpi", default=True, description="tutti-mpi, which runs schedules on MPI")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74:")
    depends_on("fmt@9:")
    depends_on("cli11@2.3:")
    depends_on("nlohmann-json@3.11:")
    depends_on("protobuf@3.12:")
    depends_on("pugixml@1.13:")
    depends_on("taocpp-pegtl@3.2:3")
    depends_on("sqlite@3.40:")
    depends_on("xxhash@0.8:")
    depends_on("zlib-api")
    depends_on("eigen@3.4:")
    depends_on("librsvg", type="run")
    depends_on("simgrid@3.32", when="+simgrid")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="tutti needs C++20 as g++ 12 has it")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("TUTTI_WITH_SIMGRID", "simgrid"),
            self.define_from_variant("TUTTI_WITH_MPI", "mpi"),
            self.define("TUTTI_BUILD_TESTS", False),
            self.define("TUTTI_BUILD_BENCH", False),
            self.define("CMAKE_COMPILE_WARNING_AS_ERROR", False),
        ]
