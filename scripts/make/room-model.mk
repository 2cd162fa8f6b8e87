# The models: their inner loop is worth the optimiser's time; the devices and graphs are installed.
CFLAGS_userspace_model_pad  := $(if $(SAN),,-O3)
CFLAGS_userspace_model_vote := $(if $(SAN),,-O3)

MODEL_DATA := $(sort $(wildcard userspace/model/devices/*.dev userspace/model/graphs/*.graph))
INSTALL_EXTRA += $(foreach f,$(MODEL_DATA),$f:share/gpulane/$(patsubst userspace/model/%,%,$f):644)
