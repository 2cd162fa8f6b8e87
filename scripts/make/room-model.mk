# The models: a library of their laws, and the program gpulane-model, which `gpulane model` starts. They are built of
# userspace/base and userspace/model alone. The devices and graphs are installed.
MODEL_OBJ     := $(patsubst %.c,$B/%.o,$(sort $(wildcard userspace/model/*.c)))
MODEL_CMD_OBJ := $(patsubst %.c,$B/%.o,$(sort $(wildcard userspace/model/cmd/*.c)))
BASE_OBJ      := $(patsubst %.c,$B/%.o,$(sort $(wildcard userspace/base/*.c)))

# The papers' models, and the program gpulane-papers: for those who read docs/models/papers, and not installed.
PAPERS_OBJ     := $(patsubst %.c,$B/%.o,$(sort $(wildcard userspace/model/papers/*.c)))
PAPERS_CMD_OBJ := $(patsubst %.c,$B/%.o,$(sort $(wildcard userspace/model/papers/cmd/*.c))) $B/userspace/model/cmd/verb.o $B/userspace/model/cmd/verb_out.o

# Their inner loop is worth the optimiser's time.
CFLAGS_userspace_model_pad         := $(if $(SAN),,-O3)
CFLAGS_userspace_model_papers_vote := $(if $(SAN),,-O3)

.PHONY: models papers
models: $B/gpulane-model
papers: $B/gpulane-papers
tools: papers

$B/libgpulane-model.a: $(MODEL_OBJ) $B/flags/ld
	$(archive)

$B/gpulane-model: $(MODEL_CMD_OBJ) $B/libgpulane-model.a $(BASE_OBJ) $B/flags/ld
	$(link) $(PKG_LIBS_models) -lm -lpthread -ldl

$B/libgpulane-papers.a: $(PAPERS_OBJ) $B/flags/ld
	$(archive)

$B/gpulane-papers: $(PAPERS_CMD_OBJ) $B/libgpulane-papers.a $B/libgpulane-model.a $(BASE_OBJ) $B/flags/ld
	$(link) $(PKG_LIBS_models) -lm -lpthread -ldl

-include $(MODEL_OBJ:.o=.d) $(MODEL_CMD_OBJ:.o=.d) $(PAPERS_OBJ:.o=.d) $(PAPERS_CMD_OBJ:.o=.d)

MODEL_DATA := $(sort $(wildcard userspace/model/devices/*.json userspace/model/graphs/*.graph))
INSTALL_EXTRA += $B/gpulane-model:bin/gpulane-model:755 userspace/oclgrind/opencl2.cl:share/gpulane/opencl2.cl:644 \
                 $(foreach f,$(MODEL_DATA),$f:share/gpulane/$(patsubst userspace/model/%,%,$f):644)
